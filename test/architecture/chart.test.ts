import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { load, loadAll } from 'js-yaml';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { environmentSchema, programPath } from '../../src/platform/config/index.js';
import { isLeftOut } from '../support/left-out.js';
import { ROOT } from './house.js';

const CHART = `${ROOT}docker/chart`;
const GOPATH = '/usr/share/gocode';
const FILES = readdirSync(`${CHART}/ci`);
const text = (path: string): string => readFileSync(`${CHART}/${path}`, 'utf8');

interface Container {
  name: string;
  env: { name: string; value?: string; valueFrom?: object }[];
  command?: string[];
  resources: { requests: Record<string, string>; limits: Record<string, string> };
  securityContext: object;
  livenessProbe?: Probe;
  readinessProbe?: Probe;
  startupProbe?: Probe;
  ports?: { name: string; containerPort: number }[];
  volumeMounts: { name: string; mountPath: string }[];
}
interface Probe {
  httpGet: { path: string; port: string };
}
interface PodSpec {
  containers: Container[];
  securityContext: object;
  automountServiceAccountToken: boolean;
  terminationGracePeriodSeconds?: number;
  volumes: { name: string }[];
}
interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> };
  spec: {
    template?: { metadata: { labels: Record<string, string> }; spec: PodSpec };
    jobTemplate?: { spec: { template: { spec: PodSpec } } };
    selector?: { matchLabels?: Record<string, string> } & Record<string, unknown>;
    [more: string]: unknown;
  };
}

/** Where Kubernetes' own types of a kind stand, in the package that is made of its OpenAPI document. */
const TYPES: Readonly<Record<string, string>> = {
  'apps/v1 Deployment': 'apps/v1',
  'autoscaling/v2 HorizontalPodAutoscaler': 'autoscaling/v2',
  'batch/v1 CronJob': 'batch/v1',
  'batch/v1 Job': 'batch/v1',
  'networking.k8s.io/v1 Ingress': 'networking/v1',
  'networking.k8s.io/v1 NetworkPolicy': 'networking/v1',
  'policy/v1 PodDisruptionBudget': 'policy/v1',
  'v1 Service': 'core/v1',
};
const OTHERS = ['monitoring.coreos.com/v1 PrometheusRule', 'monitoring.coreos.com/v1 ServiceMonitor'];
const promtool = isLeftOut('observability') ? null : programPath('promtool');
const kindOf = ({ apiVersion, kind }: Manifest): string => `${apiVersion} ${kind}`;

const podOf = ({ spec }: Manifest): PodSpec | undefined => spec.template?.spec ?? spec.jobTemplate?.spec.template.spec;

/** `helm` is no package of Debian or npm: Go's templates and sprig, which it is made of, render the chart here. */
const canRender = (): boolean =>
  !isLeftOut('chart') &&
  existsSync(`${GOPATH}/src/github.com/Masterminds/sprig`) &&
  spawnSync('go', ['version']).status === 0;

/** What TypeScript has against these manifests as literals: a field that is missing, of another type, or unknown. */
function faults(manifests: readonly Manifest[], directory: string): string[] {
  const lines = manifests.flatMap((manifest, index) => {
    const module = TYPES[kindOf(manifest)];
    if (module === undefined) return [];
    const type = `import('kubernetes-types/${module}').${manifest.kind}`;
    return [`export const m${index}: ${type} = ${JSON.stringify(manifest)};`];
  });
  const file = join(directory, 'manifests.ts');
  writeFileSync(file, lines.join('\n'));
  const program = ts.createProgram([file], {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    types: [],
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    paths: { 'kubernetes-types/*': [`${ROOT}node_modules/kubernetes-types/*`] },
  });
  return ts.getPreEmitDiagnostics(program).map(({ messageText, start = 0 }) => {
    const place = lines.join('\n').slice(0, start).split('\n').length - 1;
    return `${manifests[place]?.metadata.name}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
  });
}

describe('the schema of the chart’s values', () => {
  const validate = new Ajv({ allowUnionTypes: true, strictTypes: false }).compile(
    JSON.parse(text('values.schema.json')) as object,
  );

  it.each(['values.yaml', ...FILES.map((file) => `ci/${file}`)])('takes %s', (file) => {
    expect(validate(load(text(file))) ? [] : validate.errors).toEqual([]);
  });

  it.each([
    { api: { replica: 2 } },
    { env: { lower_case: 'x' } },
    { worker: { terminationGracePeriodSeconds: 10 } },
    { data: { type: 'nfs' } },
    { image: { repository: '' } },
    { secrets: { more: ['a b'] } },
    { worker: { autoscaling: { metric: { value: 10 } } } },
    { prometheusRule: { publicUrl: 'send.example.com' } },
  ])('refuses %j', (values) => {
    expect(validate(values)).toBe(false);
  });

  it('knows every value that there is a default of', () => {
    const known = (schema: Record<string, unknown>, values: unknown, path: string): string[] => {
      const own = schema['properties'] as Record<string, Record<string, unknown>> | undefined;
      if (!own || typeof values !== 'object' || values === null) return [];
      return Object.entries(values).flatMap(([key, value]) =>
        own[key] ? known(own[key], value, `${path}.${key}`) : [`${path}.${key}`],
      );
    };
    const schema = JSON.parse(text('values.schema.json')) as Record<string, unknown>;
    expect(known(schema, load(text('values.yaml')), '')).toEqual([]);
  });

  it('is of the version of the package', () => {
    const { version } = JSON.parse(readFileSync(`${ROOT}package.json`, 'utf8')) as { version: string };
    expect(load(text('Chart.yaml'))).toMatchObject({ version, appVersion: version });
  });
});

it('has the rules of docker/observability', () => {
  expect(text('files/rules.yml')).toBe(readFileSync(`${ROOT}docker/observability/rules.yml`, 'utf8'));
});

describe.skipIf(!canRender())('the chart', () => {
  let directory: string;
  let render: (...values: string[]) => Record<string, string>;

  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'switchboard-chart-'));
    const cache = `${ROOT}node_modules/.cache/go`;
    mkdirSync(cache, { recursive: true });
    const program = join(directory, 'render');
    execFileSync('go', ['build', '-o', program, `${ROOT}test/chart/render.go`], {
      env: { ...process.env, GO111MODULE: 'off', GOPATH, GOCACHE: cache, GOFLAGS: '' },
    });
    render = (...values) =>
      JSON.parse(execFileSync(program, [CHART, 'sb', 'default', ...values], { stdio: 'pipe' }).toString()) as Record<
        string,
        string
      >;
  }, 300_000);
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  const manifestsOf = (...values: string[]): Manifest[] =>
    Object.entries(render(...values))
      .filter(([name]) => name.endsWith('.yaml'))
      .flatMap(([, rendered]) => loadAll(rendered) as (Manifest | null)[])
      .filter((manifest): manifest is Manifest => manifest !== null);
  const ofFile = (file: string): Manifest[] => manifestsOf(...(file === '' ? [] : [`${CHART}/ci/${file}`]));
  const written = (values: object): string => {
    const file = join(directory, 'own.yaml');
    writeFileSync(file, JSON.stringify(values));
    return file;
  };

  describe.each(['', ...FILES])('with %s', (file) => {
    it('is what Kubernetes knows, field by field', () => {
      const manifests = ofFile(file);
      const kinds = new Set(manifests.map(kindOf));
      for (const kind of kinds) expect([...Object.keys(TYPES), ...OTHERS]).toContain(kind);
      expect(faults(manifests, directory)).toEqual([]);
      const names = manifests.map(({ kind, metadata: { name } }) => `${kind} ${name}`);
      expect(new Set(names).size).toBe(names.length);
      for (const { metadata } of manifests) expect(metadata.name).toMatch(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/);
    });

    it('lets no pod be root, gain rights, write anywhere but to its volumes, or talk to the cluster', () => {
      for (const manifest of ofFile(file)) {
        const pod = podOf(manifest);
        if (!pod) continue;
        expect(pod).toMatchObject({
          automountServiceAccountToken: false,
          securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
        });
        for (const { securityContext, resources, volumeMounts, env } of pod.containers) {
          expect(securityContext).toEqual({
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          });
          expect(Object.keys(resources.requests).sort()).toEqual(['cpu', 'memory']);
          expect(resources.limits).toHaveProperty('memory');
          const volumes = pod.volumes.map(({ name }) => name);
          for (const { name } of volumeMounts) expect(volumes).toContain(name);
          expect(new Set(env.map(({ name }) => name)).size).toBe(env.length);
          for (const { name, value } of env) {
            expect(Object.keys(environmentSchema.shape).concat('CELLS', 'NEW_ACCOUNTS'), name).toContain(name);
            if (/SECRET|KEY$|TOKEN|PASSWORD|^(DATABASE|REDIS|DIRECTORY).*URL$/.test(name))
              expect(value).toBeUndefined();
          }
        }
      }
    });

    it('asks every process whether it lives and serves, and selects what it labels', () => {
      const manifests = ofFile(file);
      const pods = manifests.flatMap(({ spec }) => (spec.template ? [spec.template.metadata.labels] : []));
      for (const { kind, spec } of manifests) {
        const selector = (spec.selector?.matchLabels ?? (kind === 'Service' ? spec.selector : undefined)) as
          Record<string, string> | undefined;
        if (selector && kind !== 'ServiceMonitor') {
          const matching = pods.filter((labels) =>
            Object.entries(selector).every(([key, value]) => labels[key] === value),
          );
          expect(matching).toHaveLength(1);
        }
        if (kind !== 'Deployment') continue;
        for (const { livenessProbe, readinessProbe, startupProbe, ports, env } of spec.template?.spec.containers ??
          []) {
          const port = ports?.[0]?.name;
          expect(livenessProbe?.httpGet).toEqual({ path: '/health/live', port });
          expect(startupProbe?.httpGet).toEqual({ path: '/health/live', port });
          expect(readinessProbe?.httpGet).toEqual({ path: '/health/ready', port });
          const listens = env.find(({ name }) => name === 'PORT' || name === 'WORKER_PORT')?.value;
          expect(Number(listens)).toBe(ports?.[0]?.containerPort);
        }
      }
    });
  });

  it('would be found out with a field that Kubernetes does not know, or of another type', () => {
    const [first] = ofFile('').filter(({ kind }) => kind === 'Deployment');
    const wrong = (spec: object): string[] =>
      faults([{ ...first, spec: { ...first?.spec, ...spec } } as unknown as Manifest], directory);
    expect(wrong({})).toEqual([]);
    expect(wrong({ replica: 1 })).toHaveLength(1);
    expect(wrong({ minReadySeconds: 'ten' })).toHaveLength(1);
  });

  it('migrates before anything else is made, and again before each upgrade', () => {
    const job = ofFile('').find(({ kind }) => kind === 'Job');
    expect(job?.metadata.annotations?.['helm.sh/hook']).toBe('pre-install,pre-upgrade');
    expect(job?.spec.template?.spec.containers[0]?.command).toContain('dist/src/apps/api/prepare.js');
  });

  it('gives processes longer to end than their drain takes', () => {
    for (const { metadata, spec } of ofFile('').filter(({ kind }) => kind === 'Deployment')) {
      expect(spec.template?.spec.terminationGracePeriodSeconds, metadata.name).toBeGreaterThanOrEqual(50);
    }
  });

  it('leaves the number of pods to what scales them', () => {
    const manifests = ofFile('full-values.yaml');
    for (const { spec } of manifests.filter(({ kind }) => kind === 'Deployment'))
      expect(spec).not.toHaveProperty('replicas');
    const scaled = manifests.filter(({ kind }) => kind === 'HorizontalPodAutoscaler');
    expect(scaled.map(({ metadata }) => metadata.name).sort()).toEqual([
      'sb-switchboard-api',
      'sb-switchboard-front',
      'sb-switchboard-worker',
    ]);
    expect(JSON.stringify(scaled)).toContain('switchboard_oldest_due_lane_seconds');
  });

  it('gives the front nothing of a cell, and a front alone no cell', () => {
    const front = ofFile('front-values.yaml');
    expect(front.map(({ kind }) => kind).sort()).toEqual(['Deployment', 'PodDisruptionBudget', 'Service']);
    expect(JSON.stringify(front)).not.toMatch(/JWT_SECRET|ENCRYPTION_KEY|"DATABASE_URL/);
  });

  it('rings by the rules of docker/observability, for its own jobs, with links that lead somewhere', () => {
    const manifests = ofFile('full-values.yaml');
    const rule = manifests.find(({ kind }) => kind === 'PrometheusRule');
    expect(rule?.metadata.labels).toMatchObject({ release: 'prometheus' });
    type Groups = { groups: { rules: { alert: string; expr: string; annotations: { runbook_url: string } }[] }[] };
    const rulesOf = ({ groups }: Groups) => groups.flatMap(({ rules }) => rules);
    const rules = rulesOf(rule?.spec as unknown as Groups);
    expect(rules.map(({ alert }) => alert)).toEqual(
      rulesOf(load(text('files/rules.yml')) as Groups).map(({ alert }) => alert),
    );
    const services = manifests.filter(({ kind }) => kind === 'Service').map(({ metadata }) => metadata.name);
    const jobs = rules.flatMap(({ expr }) => /job="([^"]+)", namespace="default"/.exec(expr)?.[1] ?? []);
    expect(jobs).toEqual(['sb-switchboard-api', 'sb-switchboard-worker']);
    for (const job of jobs) expect(services).toContain(job);
    for (const { annotations } of rules) {
      expect(annotations.runbook_url).toMatch(/^https:\/\/send\.example\.com\/docs\/guide\/operate\/runbook#/);
    }
    expect(ofFile('').some(({ kind }) => kind === 'PrometheusRule')).toBe(false);
    if (promtool === null) return;
    const file = join(directory, 'rules.yml');
    writeFileSync(file, JSON.stringify(rule?.spec));
    expect(execFileSync(promtool, ['check', 'rules', file], { encoding: 'utf8' })).toContain('SUCCESS');
  });

  it('says what is missing', () => {
    const refused = (values: object): string => {
      try {
        render(written(values));
        return '';
      } catch (error) {
        return String((error as { stderr?: Buffer }).stderr);
      }
    };
    expect(refused({ front: { enabled: true } })).toContain('front.env needs CELLS');
    expect(refused({ api: { ingress: { enabled: true } } })).toContain('ingress.host is needed');
    expect(refused({ backup: { enabled: true } })).toContain('backup.claim is needed');
  });

  it('tells of the first admin, and of the metric', () => {
    const notes = render()['NOTES.txt'] ?? '';
    expect(notes).toContain('create-admin');
    expect(render(`${CHART}/ci/full-values.yaml`)['NOTES.txt']).toContain('switchboard_oldest_due_lane_seconds');
  });
});
