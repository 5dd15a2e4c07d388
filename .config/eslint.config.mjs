import { createRequire } from 'node:module';
import eslint from '@eslint/js';
import reactHooks from 'eslint-plugin-react-hooks';
import tseslint from 'typescript-eslint';

/** A package of the web application: it stands beside an older eslint, which it names as its companion. */
const jsxA11y = createRequire(new URL('../web/package.json', import.meta.url))('eslint-plugin-jsx-a11y');

const noEnvironment = {
  object: 'process',
  property: 'env',
  message: 'Inject ENVIRONMENT of platform/config, the only reader of the environment.',
};
const noProcessImport = { name: 'node:process', message: 'The environment is read in platform/config only.' };
const noBus = {
  name: '@nestjs/cqrs',
  importNames: ['CommandBus', 'QueryBus', 'EventBus'],
  message: 'Only controllers and processors use the buses; share a service that takes `tx` instead.',
};
const noForwardRef = {
  name: '@nestjs/common',
  importNames: ['forwardRef'],
  message: 'A circle between modules is a fault of their cut.',
};
const noHttpErrors = {
  name: '@nestjs/common',
  importNames: [
    'forwardRef',
    'HttpException',
    'BadRequestException',
    'ConflictException',
    'ForbiddenException',
    'GoneException',
    'InternalServerErrorException',
    'MethodNotAllowedException',
    'NotFoundException',
    'PayloadTooLargeException',
    'ServiceUnavailableException',
    'UnauthorizedException',
    'UnprocessableEntityException',
  ],
  message: 'Throw an AppError: errors know no HTTP, platform/http maps them.',
};

export default tseslint.config(
  {
    ignores: [
      'node_modules/',
      'dist/',
      'coverage/',
      '.data/',
      'docs/openapi.json',
      'web/src/api/schema.d.ts',
      'packages/client/src/schema.ts',
      'packages/client/dist/',
      'packages/verify/dist/',
    ],
  },
  // a comment cannot switch a rule off
  { linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },
  eslint.configs.recommended,
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [...tseslint.configs.strictTypeChecked],
    languageOptions: {
      parserOptions: { project: ['test/tsconfig.json'], tsconfigRootDir: new URL('..', import.meta.url).pathname },
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/ban-ts-comment': ['error', { 'ts-expect-error': true }],
      // marked to be seen: a provider without TLS, in development and tests alone
      '@typescript-eslint/no-deprecated': [
        'error',
        { allow: [{ from: 'package', package: 'openid-client', name: 'allowInsecureRequests' }] },
      ],
      // numbers in a text are safe; objects are not
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      // Nest's modules are empty classes by design
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true }],
      // a handler's `execute` is async by its interface
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/no-confusing-void-expression': 'off',
      // a view is a plain object in the shape of its class, as JSON is
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      // numbers of the database are read as the enum they were written from
      '@typescript-eslint/no-unsafe-enum-assignment': 'off',
      // `query<Row[]>(…)` names the shape of an answer in one place
      '@typescript-eslint/no-unnecessary-type-parameters': 'off',
      // drivers give BIGINT as number or text, whatever the type says
      '@typescript-eslint/no-unnecessary-type-conversion': 'off',
      '@typescript-eslint/no-meaningless-void-operator': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      // `!` is checked by a reader, `as` is not
      '@typescript-eslint/no-non-null-assertion': 'error',
      'max-lines': ['error', { max: 400 }],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-console': 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    ignores: ['src/**/*.spec.ts', 'src/platform/config/**'],
    rules: {
      'no-restricted-properties': ['error', noEnvironment],
      'no-restricted-imports': ['error', { paths: [noProcessImport, noForwardRef] }],
      'no-restricted-globals': ['error', { name: 'fetch', message: 'HTTP leaves through platform/outbound.' }],
    },
  },
  {
    files: ['src/modules/**/*.ts'],
    ignores: ['src/**/*.spec.ts', 'src/**/*.controller.ts', 'src/**/*.processor.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: [noProcessImport, noHttpErrors, noBus] }] },
  },
  {
    files: ['src/modules/**/*.controller.ts', 'src/modules/**/*.processor.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: [noProcessImport, noHttpErrors] }] },
  },
  {
    files: ['web/src/**/*.{ts,tsx}'],
    extends: [reactHooks.configs.flat['recommended-latest'], jsxA11y.flatConfigs.strict],
    languageOptions: {
      parserOptions: { project: ['web/tsconfig.json'], tsconfigRootDir: new URL('..', import.meta.url).pathname },
    },
    rules: {
      // a box that scrolls has to be reached by keyboard
      'jsx-a11y/no-noninteractive-tabindex': ['error', { tags: [], roles: ['group', 'tabpanel'] }],
      // what a handler of an event answers goes nowhere; a promise in its place would be lost
      '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: { attributes: true } }],
      // the router's redirects are thrown
      '@typescript-eslint/only-throw-error': [
        'error',
        { allow: [{ from: 'package', name: 'Redirect', package: '@tanstack/router-core' }] },
      ],
      'no-restricted-globals': ['error', { name: 'fetch', message: 'Ask through api or $api of src/api/client.ts.' }],
    },
  },
  {
    // the last two are in the login, which has no library
    files: ['web/src/api/client.ts', 'web/src/app/login.ts', 'web/src/app/session-store.ts'],
    rules: { 'no-restricted-globals': 'off' },
  },
  // the line that says a process is ready, or why it is not
  { files: ['src/apps/*/main.ts'], rules: { 'no-console': 'off' } },
  // lists of what a feature stores
  { files: ['src/**/tables.ts'], rules: { 'max-lines': 'off' } },
  {
    files: ['test/**/*.ts', 'web/test/**/*.ts', 'src/**/*.spec.ts'],
    rules: {
      // scenarios are long because they are told from beginning to end
      'max-lines': ['error', { max: 400 }],
      // answers of a server under test are read as what they are expected to be
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
    },
  },
  {
    files: ['**/*.mjs', '**/*.cjs'],
    languageOptions: {
      sourceType: 'module',
      globals: Object.fromEntries(
        [
          'process',
          'Buffer',
          'URL',
          'URLSearchParams',
          'fetch',
          'console',
          'performance',
          'AbortSignal',
          'AbortController',
        ]
          .concat(['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'structuredClone'])
          .concat(['TextEncoder', 'TextDecoder', 'queueMicrotask'])
          .map((name) => [name, 'readonly']),
      ),
    },
    rules: { 'max-lines': ['error', { max: 400 }], eqeqeq: ['error', 'always'] },
  },
  {
    files: ['src/**/public/*.js'],
    languageOptions: {
      sourceType: 'module',
      globals: Object.fromEntries(
        ['document', 'window', 'location', 'fetch', 'sessionStorage', 'setTimeout', 'clearTimeout', 'CSS', 'Intl']
          .concat(['AbortSignal'])
          .map((name) => [name, 'readonly']),
      ),
    },
    rules: { 'max-lines': ['error', { max: 400 }], eqeqeq: ['error', 'always'] },
  },
  { files: ['**/*.cjs'], languageOptions: { sourceType: 'commonjs', globals: { module: 'writable' } } },
);
