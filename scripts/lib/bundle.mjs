/**
 * Builds the sources (docs/decisions/0019): a process of its own, started by `build.mjs` when the sources have changed.
 * Each application gets a bundle in `dist`, which holds what that application reaches and nothing else, so that a process
 * opens a handful of files instead of 3,400. Types are judged by the tests; here they are only taken away.
 *
 * node scripts/lib/bundle.mjs <fingerprint of the sources>
 */
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, sep } from 'node:path';
import { rolldown } from 'rolldown';
import { minify } from 'rolldown/utils';
import { ROOT } from './environment.mjs';

const DIST = join(ROOT, 'dist');

/** The speech thread is started from a file of its own, which lies beside the code that starts it. */
const SPEECH_THREAD = 'src/modules/audio/speech/speech.thread.mjs';
const entries = (app, ...names) =>
  Object.fromEntries(names.map((name) => [`src/apps/${app}/${name}`, `src/apps/${app}/${name}.ts`]));
const speech = (app) => ({ [`src/apps/${app}/speech.thread`]: SPEECH_THREAD });

/** What is started, each application with the files it is started from. They share nothing: each holds what it reaches. */
const APPLICATIONS = [
  // its only queues are those of the dashboard, which knows them by the class of the package
  { input: { ...entries('api', 'main', 'prepare', 'document'), ...speech('api') }, leftOutside: ['bull'] },
  { input: { ...entries('worker', 'main'), ...speech('worker') } },
  { input: entries('sandbox', 'main') },
  { input: entries('front', 'main') },
  { input: entries('cli', 'main') },
];

/** Packages that stay in node_modules: they read files beside their own code, or are loaded only when they are needed. */
const LEFT_OUTSIDE = [
  'bcrypt',
  'msgpackr-extract',
  'swagger-ui-dist',
  '@bull-board/api',
  '@bull-board/express',
  '@echogarden/espeak-ng-emscripten',
  '@opentelemetry/api',
  '@opentelemetry/exporter-trace-otlp-http',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace-node',
  'twilio',
];
const isPackage = (id) => id.includes(`${sep}node_modules${sep}`);
/** What decorators become calls of: rolldown brings it, no package of ours does. */
const isHelper = (id) => id.startsWith('@oxc-project/runtime/');
const isOwn = (id) => id.startsWith(join(ROOT, 'src') + sep);

/** Packages look for optional companions which are not installed; everything else that does not resolve is a fault. */
function report(level, log, handle) {
  if (log.code === 'UNRESOLVED_IMPORT' && isPackage(log.id ?? '')) return;
  handle(level === 'warn' && log.code === 'UNRESOLVED_IMPORT' ? 'error' : level, log);
}

/** A single character beyond ASCII makes a string of the whole file that takes more room, and more time to read. */
const escaped = (code) =>
  code.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The code of packages is not for reading: it is stored short, and without a map. Our own keeps its lines. */
const smallInMemory = {
  name: 'small-in-memory',
  async generateBundle(_options, files) {
    for (const [name, file] of Object.entries(files)) {
      if (name.endsWith('/packages.js.map')) delete files[name];
      if (file.type === 'chunk' && file.name !== 'packages') file.code = escaped(file.code);
      if (file.name !== 'packages') continue;
      const code = file.code.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');
      const short = await minify(name, code, {
        module: true,
        compress: { keepNames: { function: true, class: true } },
        mangle: { keepNames: true },
        codegen: { removeWhitespace: true },
      });
      file.code = escaped(short.code);
    }
  },
};

const common = {
  cwd: ROOT,
  platform: 'node',
  tsconfig: join(ROOT, 'tsconfig.json'),
  logLevel: 'warn',
  onLog: report,
  checks: { circularDependency: false, eval: false, pluginTimings: false, bundlerTimings: false },
};

const entryFileNames = (chunk) => (chunk.facadeModuleId?.endsWith('.mjs') ? '[name].mjs' : '[name].js');
const written = { entryFileNames, format: 'esm', keepNames: true, sourcemap: true, sourcemapExcludeSources: true };

/** One application with everything it reaches. No file of ours does anything but bring its exports, the entries apart. */
async function bundle({ input, leftOutside = [] }) {
  const outside = [...LEFT_OUTSIDE, ...leftOutside];
  const [app] = Object.keys(input).map(dirname);
  const started = new Set(Object.values(input).map((file) => join(ROOT, file)));
  const build = await rolldown({
    ...common,
    input,
    external: (id) => isBuiltin(id) || outside.some((name) => id === name || id.startsWith(`${name}/`)),
    treeshake: { moduleSideEffects: (id) => (isOwn(id) && !started.has(id) ? false : undefined) },
  });
  return build.write({
    ...written,
    dir: DIST,
    chunkFileNames: `${app}/[name].js`,
    codeSplitting: {
      groups: [
        { name: 'packages', test: isPackage },
        { name: 'shared', test: isOwn, minShareCount: 2 },
      ],
    },
    plugins: [smallInMemory],
  });
}

/** The configuration of TypeORM's command line, which brings its own packages. */
async function ormconfig() {
  const build = await rolldown({
    ...common,
    input: 'ormconfig.ts',
    external: (id) => !isHelper(id) && !/^[./\0]/.test(id),
  });
  return build.write({ ...written, dir: DIST });
}

/** What lies in `dist` but is made by others: what `nest build` writes, the web application. */
const OTHERS = ['nest', 'web'];

const [fingerprint] = process.argv.slice(2);
const builds = await Promise.all([...APPLICATIONS.map(bundle), ormconfig()]);
const files = builds.flatMap(({ output }) => output.map((file) => file.fileName));
const kept = new Set(files.map((file) => join(DIST, file)));
for (const entry of readdirSync(DIST, { recursive: true, withFileTypes: true })) {
  const file = join(entry.parentPath, entry.name);
  const isOther = OTHERS.some((other) => file.startsWith(join(DIST, other) + sep));
  if (entry.isFile() && !isOther && !kept.has(file)) rmSync(file);
}
writeFileSync(join(DIST, 'sources.json'), JSON.stringify({ of: fingerprint, files }));
