/**
 * Who may import whom: the rules of the architecture, each a failing check.
 * Type-only imports count, because a type is knowledge too.
 */
/** A feature's folder; the channels stand together, each a feature of its own. */
const feature = '(?:channels/)?[^/]+';
const room = `^src/modules/(${feature})/`;
const part = (folders) => `^src/modules/(${feature})/(${folders})/`;
/** Files of a feature by what their names end in. */
const kind = (...endings) => `^src/modules/.*[./](${endings.join('|')})[.]ts$`;

module.exports = {
  forbidden: [
    { name: 'no-circles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'kernel-imports-nothing',
      comment: 'pure TypeScript; luxon and what Node brings along',
      severity: 'error',
      from: { path: '^src/kernel/', pathNot: '\\.spec\\.ts$' },
      to: {
        pathNot: ['^src/kernel/', 'node_modules/(@types/)?luxon/'],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'platform-knows-no-feature',
      severity: 'error',
      from: { path: '^src/platform/' },
      to: { path: '^src/(modules|apps)/' },
    },
    {
      name: 'rooms-of-the-platform-have-one-door',
      severity: 'error',
      from: { path: '^src/platform/([^/]+)/' },
      to: { path: '^src/platform/[^/]+/', pathNot: ['^src/platform/$1/', '^src/platform/[^/]+/index\\.ts$'] },
    },
    {
      name: 'the-platform-is-entered-by-its-doors',
      severity: 'error',
      from: { path: '^src/(modules|apps)/' },
      to: { path: '^src/platform/', pathNot: '^src/platform/[^/]+/index\\.ts$' },
    },
    {
      name: 'modules-have-one-door',
      severity: 'error',
      from: { path: room },
      to: { path: '^src/modules/', pathNot: ['^src/modules/$1/', `^src/modules/${feature}/index\\.ts$`] },
    },
    {
      name: 'apps-enter-modules-by-their-doors',
      severity: 'error',
      from: { path: '^src/apps/' },
      to: { path: '^src/modules/', pathNot: `^src/modules/${feature}/index\\.ts$` },
    },
    {
      name: 'nobody-imports-apps',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/apps/' },
      to: { path: '^src/apps/' },
    },
    {
      name: 'apps-do-not-import-each-other',
      severity: 'error',
      from: { path: '^src/apps/([^/]+)/' },
      to: { path: '^src/apps/', pathNot: '^src/apps/$1/' },
    },
    {
      name: 'the-engine-knows-no-channel',
      comment: 'nor what owners and staff see of campaigns: both stand on the engine',
      severity: 'error',
      from: { path: '^src/modules/engine/' },
      to: { path: '^src/modules/(campaigns|channels)/' },
    },
    {
      name: 'domain-is-pure',
      severity: 'error',
      from: { path: part('domain'), pathNot: '\\.spec\\.ts$' },
      to: {
        pathNot: ['^src/kernel/', '^src/modules/$1/domain/', 'node_modules/(@types/)?luxon/'],
        dependencyTypesNot: ['core'],
      },
    },
    {
      name: 'controllers-and-processors-ask-commands-and-queries',
      comment: 'they reach tables through a command or a query only',
      severity: 'error',
      from: { path: kind('controller', 'processor') },
      to: { path: kind('store', 'tables') },
    },
    {
      name: 'shapes-know-no-action',
      comment: 'a DTO is used by controllers, commands and queries, and uses none of them',
      severity: 'error',
      from: { path: `^src/modules/${feature}/.*\\.dto\\.ts$` },
      to: { path: kind('commands', 'queries', 'controller', 'processor') },
    },
    {
      name: 'commands-and-queries-know-no-transport',
      severity: 'error',
      from: { path: kind('commands', 'queries', 'store', 'tables') },
      to: { path: kind('controller', 'processor') },
    },
    {
      name: 'stores-and-tables-are-the-ground-floor',
      severity: 'error',
      from: { path: kind('store', 'tables') },
      to: { path: kind('commands', 'queries') },
    },
    {
      name: 'queries-only-read',
      severity: 'error',
      from: { path: kind('queries') },
      to: { path: kind('commands') },
    },
    {
      name: 'queues-are-those-of-nestjs-bull',
      comment: 'BullModule registers them, @Processor serves them; of bull itself its types alone',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: 'node_modules/(@types/)?bull/', dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'bull-stays-in-queues-and-processors',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/platform/queues/', '\\.processor\\.ts$'] },
      to: { path: 'node_modules/(bull|@nestjs/bull|@nestjs/bull-shared)/' },
    },
    {
      name: 'http-leaves-through-outbound',
      comment: 'the sandbox is a server of its own and no part of the service',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/platform/outbound/', '^src/apps/sandbox/'] },
      to: { path: 'node_modules/(undici|axios|got|node-fetch)/' },
    },
    {
      name: 'no-http-clients-of-node',
      severity: 'error',
      from: { path: '^src/modules/', pathNot: '\\.spec\\.ts$' },
      to: { path: '^(node:)?(http|https|http2)$', dependencyTypes: ['core'], dependencyTypesNot: ['type-only'] },
    },
    {
      name: 'no-development-packages-in-the-service',
      severity: 'error',
      from: { path: '^src/', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'], pathNot: 'node_modules/@types/' },
    },
    {
      name: 'no-undeclared-packages',
      severity: 'error',
      from: { path: '^src/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    { name: 'everything-resolves', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^src/.*/public/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
    },
  },
};
