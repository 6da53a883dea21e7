// A real identity provider for tests. Argument: where it sends people back to. Prints its address when it listens.
// Whoever signs in as NAME, with any password, is NAME@example.com; for names that begin with `unverified` it does not
// vouch for the address.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { Provider } from 'oidc-provider'

const [redirectUri] = process.argv.slice(2)
const server = createServer()
server.listen(0, '127.0.0.1')
await once(server, 'listening')
const issuer = `http://127.0.0.1:${server.address().port}`

const provider = new Provider(issuer, {
  clients: [
    { client_id: 'sheaf', client_secret: 'a secret of tests', redirect_uris: [redirectUri] },
  ],
  clientAuthMethods: ['client_secret_post'],
  clientDefaults: { token_endpoint_auth_method: 'client_secret_post' },
  claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
  pkce: { required: () => true },
  findAccount: (_, name) => ({
    accountId: name,
    claims: () => ({
      sub: name,
      name: `${name} of the provider`,
      email: `${name}@Example.com`,
      email_verified: !name.startsWith('unverified'),
    }),
  }),
  // Nobody is asked whether they agree.
  async loadExistingGrant({ oidc }) {
    const grant = new oidc.provider.Grant({
      clientId: oidc.client.clientId,
      accountId: oidc.session.accountId,
    })
    grant.addOIDCScope('openid email profile')
    await grant.save()
    return grant
  },
})
server.on('request', provider.callback())
process.on('disconnect', () => process.exit())
process.send({ issuer })
