import fc from 'fast-check'
import { html } from './html'

describe('html', () => {
  it('shows what is put in, and lets nothing out of its place', () => {
    const hostile = `"><script>alert('x')</script>&amp;`
    expect(html`<a href="/${hostile}">${hostile}</a>`.text).toBe(
      `<a href="/&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;">` +
        `&quot;&gt;&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&amp;amp;</a>`,
    )
    fc.assert(fc.property(fc.string(), (text) => !/[<>"']/.test(html`${text}`.text)))
  })

  it('keeps pieces that are HTML already', () => {
    const items = ['a', '<b>'].map((text) => html`<li>${text}</li>`)
    expect(html`${items}`.text).toBe('<li>a</li><li>&lt;b&gt;</li>')
    expect(html`<p>${html`<b>${'&'}</b>`}</p>`.text).toBe('<p><b>&amp;</b></p>')
  })
})
