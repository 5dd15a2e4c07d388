import { accessSync, constants } from 'node:fs';
import { isIP, isIPv4 } from 'node:net';
import { delimiter, join } from 'node:path';
import { Global, Module } from '@nestjs/common';
import { z } from 'zod';
import { cellVariables, readRedisUrl } from './addresses.js';

const PAIR = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*=\s*(.*?)\s*$/;

/** `name=value,name=value`, values percent-encoded, as in OpenTelemetry. */
function headers(text: string, context: z.RefinementCtx): Record<string, string> {
  const pairs = text
    .split(',')
    .filter((pair) => pair.trim() !== '')
    .map((pair): [string, string] => {
      const [, name = '', value = ''] = PAIR.exec(pair) ?? [];
      try {
        return [name, decodeURIComponent(value)];
      } catch {
        return ['', ''];
      }
    });
  if (pairs.some(([name]) => name === '')) {
    context.addIssue({ code: 'custom', message: 'pairs such as name=value, separated by commas' });
  }
  return Object.fromEntries(pairs);
}

/** Traces, with OpenTelemetry's names (docs/operate/traces.md). */
const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().default('').transform(headers),
  OTEL_SERVICE_NAME: z.string().max(255).default('switchboard'),
  OTEL_TRACES_SAMPLER_ARG: z.coerce.number().min(0).max(1).default(1),
  TRUST_TRACEPARENT: z
    .enum(['true', 'false', '1', '0', 'on', 'off'])
    .default('false')
    .transform((text) => text === 'true' || text === '1' || text === 'on'),
};

/** From 500ms, 30s etc.; default unit: seconds. */
function milliseconds(text: string): number {
  const [, count, unit] = /^(\d+)(ms|s|m|h|d)?$/.exec(text) as unknown as [string, string, string | undefined];
  const factor = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }[unit ?? 's'] as number;
  return Number(count) * factor;
}

const duration = (fallback: string) =>
  z
    .string()
    .regex(/^\d+(ms|s|m|h|d)?$/, 'a duration such as 500ms, 30s, 15m, 72h or 3d')
    .default(fallback)
    .transform(milliseconds);

const DURATIONS = /^\d+(ms|s|m|h|d)?(,\d+(ms|s|m|h|d)?)*$/;

const durations = (fallback: string) =>
  z
    .string()
    .regex(DURATIONS, 'durations separated by commas, such as 0s,5s,5m')
    .default(fallback)
    .transform((text) => text.split(',').map(milliseconds));

const UNITS: Readonly<Record<string, number>> = { kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 };
const bytes = (fallback: string) =>
  z
    .string()
    .regex(/^\d+(kb|mb|gb)?$/i, 'a size such as 500kb, 10mb or 1gb')
    .default(fallback)
    .transform((text) => {
      const [, count, unit] = /^(\d+)(kb|mb|gb)?$/i.exec(text) as unknown as [string, string, string | undefined];
      return Number(count) * (UNITS[(unit ?? '').toLowerCase()] ?? 1);
    });

const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false', '1', '0', 'on', 'off'])
    .default(fallback ? 'true' : 'false')
    .transform((text) => text === 'true' || text === '1' || text === 'on');

const count = (fallback: number) => z.coerce.number().int().min(0).default(fallback);
const quota = (fallback: number) => z.coerce.number().int().min(1).default(fallback);
const port = z.coerce.number().int().min(0).max(65535);
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );
/** `super=platform,admin=support`: the role of staff, and the value of the claim that gives it. */
const roleValues = list
  .refine(
    (pairs) => pairs.every((pair) => /^(super|admin)=.+$/.test(pair)),
    'pairs such as super=platform,admin=support',
  )
  .transform((pairs) =>
    pairs.map((pair) => {
      const [role = '', value = ''] = pair.split(/=(.*)/s);
      return { role, value };
    }),
  );
const isNameServer = (text: string): boolean =>
  isIP(text) !== 0 ||
  isIP(/^\[(.+)\](?::\d{1,5})?$/.exec(text)?.[1] ?? '') === 6 ||
  isIPv4(text.replace(/:\d{1,5}$/, ''));
const redisUrl = z.string().superRefine((url, context) => {
  try {
    readRedisUrl(url);
  } catch (error) {
    context.addIssue({ code: 'custom', message: (error as Error).message });
  }
});
const timeZone = z.string().refine((zone) => {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: zone }));
  } catch {
    return false;
  }
}, 'an IANA time zone such as Asia/Kolkata');

/** All variables with their defaults. A test compares the names with `.env.example`. */
export const environmentSchema = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  UV_THREADPOOL_SIZE: z.coerce.number().int().min(2).max(1024).default(4),
  DATABASE_URL: z.url({ protocol: /^(mysql|mariadb)$/ }),
  DATABASE_POOL_SIZE: quota(12),
  DATABASE_POOL_WAIT: duration('10s'),
  DATABASE_QUERY_TIMEOUT: duration('25s'),
  DATABASE_READ_URL: z.url({ protocol: /^(mysql|mariadb)$/ }).optional(),
  DATABASE_READ_LAG: duration('5s'),
  REDIS_URL: redisUrl,
  REDIS_CA: z.string().optional(),
  REDIS_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'letters, digits, _ and -')
    .default('switchboard'),
  HOST: z.string().optional(),
  PORT: port.default(3000),
  WORKER_PORT: port.default(0),
  SANDBOX_PORT: port.default(0),
  SANDBOX_SMPP_PORT: port.default(0),
  PUBLIC_URL: z.url().optional(),
  DATA_DIR: z.string().default('.data'),
  JWT_SECRET: z.string().min(32, 'at least 32 characters'),
  JWT_SECRETS_ACCEPTED: list.refine(
    (secrets) => secrets.every((secret) => secret.length >= 32),
    'at least 32 characters each, separated by commas',
  ),
  ENCRYPTION_KEY: z.string().regex(/^[0-9a-f]{64}$/i, '64 hexadecimal digits (32 bytes)'),
  ENCRYPTION_KEYS_ACCEPTED: list.refine(
    (keys) => keys.every((key) => /^[0-9a-f]{64}$/i.test(key)),
    '64 hexadecimal digits each (32 bytes)',
  ),
  SETTLEMENT_KEY: z
    .string()
    .regex(/^[0-9a-f]{64}$/i, '64 hexadecimal digits (32 bytes)')
    .optional(),
  ADMIN_USERNAME: z
    .string()
    .regex(/^[A-Za-z0-9._-]{3,64}$/)
    .default('admin'),
  ADMIN_PASSWORD: z.string().optional(),
  APP_TIME_ZONE: timeZone.default('UTC'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
  DOCS: flag(true),
  METRICS_TOKEN: z.string().min(16).optional(),
  ...tracingVariables,
  CORS_ORIGINS: list,
  TRUST_PROXY: z.string().default(''),
  REGISTRATION: z.enum(['open', 'verified', 'off']).default('open'),
  REGISTRATION_PAYER: z.string().max(64).optional(),
  REGISTRATION_CODES_PER_DAY: quota(500),
  REGISTRATION_CODES_PER_NETWORK: quota(10),
  REGISTERED_GUARD: z.enum(['strict', 'open']).optional(),
  TESTS_PER_DAY: count(10_000),
  OIDC_ISSUER: z.url({ protocol: /^https?$/ }).optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_SCOPE: z.string().default('openid profile email'),
  OIDC_ROLE_CLAIM: z.string().default('groups'),
  OIDC_ROLES: roleValues,
  REQUIRE_SECOND_FACTOR: z.enum(['staff', 'all', 'off']).optional(),
  CONFIRM_CREDITS: count(100_000),
  ALLOW_BODY_USERNAME: flag(true),
  PROTECT_REPORTS: flag(false),
  BODY_LIMIT: bytes('10mb'),
  UPLOAD_LIMIT: bytes('100mb'),
  BROADCAST_RATE_LIMIT: count(10),
  LOGIN_FAILURE_LIMIT: count(10),
  IP_FAILURE_LIMIT: count(300),
  ACCOUNT_FAILURE_LIMIT: count(100),
  REGISTER_RATE_LIMIT: count(60),
  OPEN_MISS_LIMIT: count(60),
  USER_RATE_LIMIT: count(6000),
  MESSAGES_PER_SECOND: count(50),
  CARRIER_RATE_LIMIT: count(300_000),
  VERIFICATIONS_PER_DAY: count(10_000),
  VERIFICATIONS_PER_NUMBER: count(10),
  VERIFICATIONS_PER_RANGE: count(100),
  VERIFICATIONS_PER_NETWORK: count(20),
  STORAGE_PER_ACCOUNT: bytes('1gb'),
  TEMPLATES_PER_ACCOUNT: quota(1_000),
  SUPPRESSIONS_PER_ACCOUNT: quota(1_000_000),
  UPLOADS_PER_ACCOUNT: quota(100),
  LISTS_PER_ACCOUNT: quota(1_000),
  MEMBERS_PER_LIST: quota(1_000_000),
  PROFILE_REQUESTS_PER_ACCOUNT: quota(1_000),
  SENDER_IDS_PER_ACCOUNT: quota(100),
  API_KEYS_PER_ACCOUNT: quota(100),
  USERS_PER_ACCOUNT: quota(1_000),
  WEBHOOKS_PER_ACCOUNT: z.coerce.number().int().min(1).max(100).default(10),
  UNOFFICIAL_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,32}$/, 'letters, digits and -')
    .default('CHATCAMP'),
  VOICE_DEFAULT_CALLER_ID: z
    .string()
    .regex(/^[0-9]{10,16}$/, '10 to 16 digits')
    .optional(),
  VOICE_ALLOWED_PREFIXES: list.refine(
    (prefixes) => prefixes.every((prefix) => /^([0-9]+|\*)$/.test(prefix)),
    'digits, or *',
  ),
  VOICE_MAX_CALL_SECONDS: z.coerce.number().int().min(1).max(14_400).default(600),
  VOICE_AUTO_APPROVE: flag(false),
  RECEIPT_TIMEOUT: duration('72h'),
  RETENTION_DAYS: count(0),
  INBOUND_DAYS: quota(90),
  INBOUND_PARTS_TIMEOUT: duration('10m'),
  SHUTDOWN_DELAY: duration('1s'),
  READY_SILENCE: duration('10s'),
  LIVE_SILENCE: duration('60s'),
  WORKER_QUEUES: list,
  WORKER_CLASSES: list.pipe(z.array(z.enum(['urgent', 'campaign']))),
  WORKER_CONCURRENCY: quota(8),
  URGENT_COMMIT_TARGET: duration('10ms'),
  LANE_LEASE: duration('30s'),
  OUTBOUND_ALLOW: z.string().optional(),
  ROUTE_NETWORKS: z.string().optional(),
  SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .refine((text) => /^[^?#]*(\?tls=(on|off))?$/.test(text), 'knows the parameter tls=off only')
    .optional(),
  SMTP_CA: z.string().optional(),
  MAIL_FROM: z
    .string()
    .regex(/^(?:[^<>@"\p{Cc}]{1,100} <)?[^<>@\s\p{Cc}]{1,64}@[A-Za-z0-9.-]{1,253}>?$/u, 'an address, or Name <address>')
    .optional(),
  DNS_SERVERS: list.refine((servers) => servers.every(isNameServer), 'IP addresses, each with or without :port'),
  DNS_TIMEOUT: duration('3s'),
  WEBHOOK_RETRY_DELAYS: durations('0s,5s,5m,30m,2h,5h,10h,10h'),
  WEBHOOK_TIMEOUT: duration('15s'),
  WEBHOOK_DISABLE_AFTER: duration('5d'),
  WEBHOOK_CONCURRENCY: z.coerce.number().int().min(1).max(256).default(8),
  WEBHOOK_LEASE: duration('30s'),
  ALARM_INTERVAL: duration('60s'),
  ALARM_HOLD: duration('2m'),
  ALARM_CLEAR: duration('5m'),
  ALARM_DELIVERY_DROP: count(20),
  ALARM_RECEIPTS_SILENT: duration('15m'),
  ALARM_LATE_AFTER: duration('5m'),
  ALARM_UNMATCHED: count(100),
  ALARM_WEBHOOK_FAILING: duration('1h'),
  ALARM_DATABASE_SLOW: duration('1s'),
  ALARM_DISK_FREE: z.coerce.number().int().min(0).max(100).default(10),
  BACKUP_MAX_AGE_HOURS: count(0),
  SPEECH_THREADS: count(0),
  AUDIO_FETCH_TIMEOUT: duration('15s'),
  FFMPEG_PATH: z.string().default('ffmpeg'),
  TRANSCODE_TIMEOUT: duration('20s'),
  ...cellVariables,
});

export type Environment = z.infer<typeof environmentSchema> & {
  /** address of the API: 127.0.0.1 in development, 0.0.0.0 in production */
  HOST: string;
  REGISTERED_GUARD: 'strict' | 'open';
  OUTBOUND_ALLOW: string;
  ROUTE_NETWORKS: string;
  /** staff in production, else off */
  REQUIRE_SECOND_FACTOR: 'staff' | 'all' | 'off';
};

/** Stops the start; names the variable (reference/running#configuration). */
export class InvalidEnvironment extends Error {}

/** Reads variables; empty = absent. @throws InvalidEnvironment with one line per faulty variable, without its value */
export function readVariables<Schema extends z.ZodType>(schema: Schema, source: NodeJS.ProcessEnv): z.infer<Schema> {
  const present = Object.fromEntries(Object.entries(source).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = schema.safeParse(present);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `${String(issue.path[0])}: ${issue.message}`);
  throw new InvalidEnvironment(`The environment is not valid:\n  ${lines.join('\n  ')}`);
}

/** Validates the environment; refuses weak secrets in production. @throws InvalidEnvironment, without values */
export function readEnvironment(source: NodeJS.ProcessEnv = process.env): Environment {
  const environment = readVariables(environmentSchema, source);
  const production = environment.NODE_ENV === 'production';
  const isWeak = (secret: string): boolean => production && new Set(secret).size < 10;
  if (isWeak(environment.JWT_SECRET) || environment.JWT_SECRETS_ACCEPTED.some(isWeak)) {
    const name = isWeak(environment.JWT_SECRET) ? 'JWT_SECRET' : 'JWT_SECRETS_ACCEPTED';
    throw new InvalidEnvironment(
      `The environment is not valid:\n  ${name}: too weak, use at least 32 random characters`,
    );
  }
  if (production && new Set(environment.ENCRYPTION_KEY.toLowerCase()).size < 6) {
    throw new InvalidEnvironment('The environment is not valid:\n  ENCRYPTION_KEY: too weak, use 32 random bytes');
  }
  if (environment.VOICE_AUTO_APPROVE && environment.VOICE_ALLOWED_PREFIXES.length === 0) {
    throw new InvalidEnvironment(
      'The environment is not valid:\n  VOICE_ALLOWED_PREFIXES: must say where calls may be forwarded to (* = anywhere), because VOICE_AUTO_APPROVE is on',
    );
  }
  if (environment.SMTP_URL !== undefined && (!environment.MAIL_FROM || publicOrigin(environment) === null)) {
    const missing = environment.MAIL_FROM ? 'PUBLIC_URL' : 'MAIL_FROM';
    throw new InvalidEnvironment(`The environment is not valid:\n  ${missing}: needed, because SMTP_URL is set`);
  }
  if (environment.REGISTRATION === 'verified' && !environment.SMTP_URL && !environment.REGISTRATION_PAYER) {
    throw new InvalidEnvironment(
      'The environment is not valid:\n  SMTP_URL: this or REGISTRATION_PAYER is needed, because REGISTRATION is verified',
    );
  }
  if (environment.CELL !== undefined && (environment.DIRECTORY_URL === undefined || !environment.CELL_TOKEN)) {
    const missing = environment.DIRECTORY_URL === undefined ? 'DIRECTORY_URL' : 'CELL_TOKEN';
    throw new InvalidEnvironment(`The environment is not valid:\n  ${missing}: needed, because CELL is set`);
  }
  if (environment.OIDC_ISSUER !== undefined) {
    const needed = ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'PUBLIC_URL'] as const;
    const missing = needed.find((name) => environment[name] === undefined);
    if (missing) {
      throw new InvalidEnvironment(`The environment is not valid:\n  ${missing}: needed, because OIDC_ISSUER is set`);
    }
    if (production && !environment.OIDC_ISSUER.startsWith('https:')) {
      throw new InvalidEnvironment('The environment is not valid:\n  OIDC_ISSUER: https only');
    }
  }
  return {
    ...environment,
    HOST: environment.HOST ?? (production ? '0.0.0.0' : '127.0.0.1'),
    REGISTERED_GUARD: environment.REGISTERED_GUARD ?? (production ? 'strict' : 'open'),
    REQUIRE_SECOND_FACTOR: environment.REQUIRE_SECOND_FACTOR ?? (production ? 'staff' : 'off'),
    OUTBOUND_ALLOW: environment.OUTBOUND_ALLOW ?? (production ? '' : '127.0.0.0/8'),
    ROUTE_NETWORKS: environment.ROUTE_NETWORKS ?? (production ? '' : '127.0.0.0/8'),
  };
}

/** Public address of a path: below `PUBLIC_URL`, else the path alone. */
export const publicAddress = ({ PUBLIC_URL: base = '' }: Pick<Environment, 'PUBLIC_URL'>, path: string): string =>
  `${base.replace(/\/+$/, '')}${path}`;

/** The path of `PUBLIC_URL` without a trailing slash, usually empty. */
export const publicPath = ({ PUBLIC_URL: base }: Pick<Environment, 'PUBLIC_URL'>): string =>
  base === undefined ? '' : new URL(base).pathname.replace(/\/+$/, '');

/** Public origin, no trailing slash: `PUBLIC_URL`, or this machine in development. @returns null when there is none */
export function publicOrigin(environment: Pick<Environment, 'PUBLIC_URL' | 'NODE_ENV' | 'PORT'>): string | null {
  const { PUBLIC_URL, NODE_ENV, PORT } = environment;
  const local = NODE_ENV === 'development' && PORT !== 0 ? `http://127.0.0.1:${PORT}` : null;
  return PUBLIC_URL?.replace(/\/+$/, '') ?? local;
}

/** Path of a program, searched like a shell does; null when missing. */
export function programPath(name: string): string | null {
  const paths = name.includes('/') ? [name] : (process.env['PATH'] ?? '').split(delimiter).map((at) => join(at, name));
  return paths.find(isProgram) ?? null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export const ENVIRONMENT = Symbol('ENVIRONMENT');

/** Provides the environment: `@Inject(ENVIRONMENT) environment: Environment`. */
@Global()
@Module({
  providers: [{ provide: ENVIRONMENT, useFactory: (): Environment => readEnvironment() }],
  exports: [ENVIRONMENT],
})
export class ConfigModule {}
