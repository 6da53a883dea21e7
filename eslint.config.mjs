import js from '@eslint/js'
import { importX } from 'eslint-plugin-import-x'
import reactHooks from 'eslint-plugin-react-hooks'
import tseslint from 'typescript-eslint'
import { sheafPlugin } from './scripts/eslint-plugin-sheaf.mjs'

const typescript = ['**/*.ts', '**/*.tsx']
const javascript = ['**/*.js', '**/*.mjs', '**/*.cjs']
const tests = ['**/*.test.ts', '**/tests/**', 'packages/testkit/**']

/** Settings are read here only; all other code receives its configuration as arguments. */
const readsEnvironment = [
  '**/main.ts',
  'packages/kit/src/{logger,lifecycle,telemetry/telemetry}.ts',
  'packages/{standalone,testkit}/**',
  'bench/**',
  'scripts/**',
  'tests/**',
  '**/tests/**',
]

const noDefaultExport = {
  selector: 'ExportDefaultDeclaration, TSExportAssignment',
  message: 'Export by name, so that a thing has the same name everywhere.',
}
const noEnvironment = [
  'MemberExpression[object.name="process"][property.name="env"]',
  'VariableDeclarator[init.name="process"] Property[key.name="env"]',
  'ImportDeclaration[source.value=/^(node:)?process$/]',
].map((selector) => ({
  selector,
  message: 'Settings come from readConfig(env); only main.ts reads the environment.',
}))
const noLiteralGetter = {
  selector: "ObjectExpression > Property[kind='get']",
  message:
    'Each evaluation makes a hidden class, which keeps in old space what the getter sees: write a class.',
}
const noLateSuper = {
  selector:
    "[superClass] > ClassBody > MethodDefinition[kind='constructor']:has(TSParameterProperty) > FunctionExpression > BlockStatement > :first-child:not([expression.callee.type='Super'])",
  message:
    'The compiler sets parameter properties first here, which throws before super() has run: call it first.',
}

export default tseslint.config(
  {
    ignores: [
      '.cache/',
      '**/node_modules/',
      '**/dist/',
      'protos/gen/',
      'data/',
      'coverage/',
      'test-results/',
      'tests/data/',
    ],
  },
  js.configs.recommended,
  {
    plugins: { sheaf: sheafPlugin },
    rules: {
      'sheaf/file-name': 'error',
      'sheaf/no-bare-todo': 'error',
      'max-lines': ['error', 400],
      'max-lines-per-function': ['error', 60],
      'max-params': ['error', 4],
      complexity: ['error', 12],
      eqeqeq: 'error',
    },
  },
  {
    files: typescript,
    extends: [tseslint.configs.recommendedTypeChecked],
    plugins: { 'import-x': importX },
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.check.json', './gateway/console/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { disallowTypeAnnotations: false }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { ignoreRestSiblings: true }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      // Generated interfaces require promises even where nothing is awaited.
      '@typescript-eslint/require-await': 'off',
      'import-x/max-dependencies': ['error', { max: 15 }],
      'import-x/order': [
        'error',
        {
          groups: ['builtin', ['external', 'internal'], 'parent', 'sibling'],
          pathGroups: [{ pattern: '@sheaf/**', group: 'external' }],
          pathGroupsExcludedImportTypes: ['builtin'],
          'newlines-between': 'never',
        },
      ],
      'no-restricted-syntax': ['error', noDefaultExport, noLateSuper, ...noEnvironment],
    },
  },
  {
    // Code that runs for every request.
    files: ['{gateway,services/*,packages/{auth,kit}}/src/**/*.ts'],
    ignores: ['**/*.test.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        noDefaultExport,
        noLateSuper,
        ...noEnvironment,
        noLiteralGetter,
      ],
    },
  },
  {
    files: readsEnvironment.flatMap((glob) => (glob.endsWith('.ts') ? glob : `${glob}/*.ts`)),
    rules: { 'no-restricted-syntax': ['error', noDefaultExport, noLateSuper] },
  },
  {
    // A factory around the handlers or routes of one resource counts as one function.
    files: ['**/{handlers,routes}/**/*.ts'],
    rules: { 'max-lines-per-function': ['error', 150] },
  },
  {
    ...reactHooks.configs.flat['recommended-latest'],
    files: ['gateway/console/src/**'],
  },
  {
    // The result of a query is typed by the call inside; an explicit type would add nothing.
    files: ['gateway/console/src/**/{resources,*-queries}.ts'],
    rules: { '@typescript-eslint/explicit-module-boundary-types': 'off' },
  },
  {
    // Markup is long without being complex.
    files: ['**/*.tsx'],
    rules: { 'max-lines-per-function': ['error', 100] },
  },
  {
    // Lists all handlers, routes or migrations, or all that a published package offers.
    files: ['**/{handlers,migrations,routes}/index.ts', 'packages/client/src/index.ts'],
    rules: { 'import-x/max-dependencies': ['error', { max: 30 }] },
  },
  {
    files: tests,
    rules: { 'max-lines-per-function': 'off' },
  },
  {
    files: tests.filter((glob) => !glob.startsWith('packages/testkit')).map(onlyTypeScript),
    plugins: { sheaf: sheafPlugin },
    languageOptions: { globals: readonlyGlobals('jest describe it test expect') },
    rules: {
      'import-x/max-dependencies': ['error', { max: 25 }],
      'sheaf/no-disabled-tests': 'error',
      // Responses of the REST API and jest's matchers have no useful types.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/unbound-method': 'off',
    },
  },
  {
    files: javascript,
    languageOptions: {
      globals: readonlyGlobals(
        'process console Buffer URL performance fetch AbortController AbortSignal',
        'setTimeout clearTimeout setInterval clearInterval setImmediate queueMicrotask',
      ),
    },
  },
  {
    files: ['**/*.js', '**/*.cjs'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: readonlyGlobals('require module exports __dirname __filename'),
    },
  },
  {
    // Runs in Deno.
    files: ['services/document-data/evaluator/host/*.js'],
    languageOptions: {
      sourceType: 'module',
      globals: readonlyGlobals('Deno TextEncoder'),
    },
  },
)

function readonlyGlobals(...names) {
  return Object.fromEntries(
    names.flatMap((line) => line.split(' ')).map((name) => [name, 'readonly']),
  )
}

function onlyTypeScript(glob) {
  return glob.endsWith('.ts') ? glob : `${glob}/*.ts`
}
