export const SEVERITIES = ['critical', 'warning'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const SUBJECT_TYPES = ['route', 'channel', 'webhook', 'account', 'host'] as const;
export type SubjectType = (typeof SUBJECT_TYPES)[number];

interface KindTerms {
  severity: Severity;
  subjectType: SubjectType | null;
  unit: 'seconds' | 'percent' | 'receipts' | 'messages' | 'credits' | 'hours' | 'prefixes' | null;
  /** the first step in one sentence; docs/operate/runbook.md has more under the kind's name */
  hint: string;
}

/** Every kind of alarm. Each has a check, and a test compares the runbook with this table. */
export const KINDS = {
  route_down: {
    severity: 'critical',
    subjectType: 'route',
    unit: null,
    hint: 'Read the last error of the route; when the carrier is away, move what waits to another route.',
  },
  delivery_rate_fallen: {
    severity: 'warning',
    subjectType: 'route',
    unit: 'percent',
    hint: 'Look at the failure reasons of the newest campaigns over the route, and ask the carrier.',
  },
  receipts_silent: {
    severity: 'critical',
    subjectType: 'route',
    unit: 'messages',
    hint: 'See that receipts can reach us: the callback address of the route, or the binds of its session.',
  },
  message_late: {
    severity: 'critical',
    subjectType: 'channel',
    unit: 'seconds',
    hint: 'See that workers run, and that their WORKER_QUEUES and WORKER_CLASSES include the channel and both classes.',
  },
  receipts_unmatched: {
    severity: 'warning',
    subjectType: 'route',
    unit: 'receipts',
    hint: 'See whether another system shares the login of the route, or its ids are written in another way.',
  },
  inbound_unowned: {
    severity: 'warning',
    subjectType: 'route',
    unit: 'messages',
    hint: 'Assign them in the inbox of the operator, and give the number to an account.',
  },
  inbound_automatic: {
    severity: 'warning',
    subjectType: 'route',
    unit: 'messages',
    hint: 'See who answers our answers: a machine may write back to the number.',
  },
  webhook_failing: {
    severity: 'warning',
    subjectType: 'webhook',
    unit: 'seconds',
    hint: 'Tell the owner of the account what the endpoint answers; after five days it is disabled.',
  },
  chat_price_differs: {
    severity: 'warning',
    subjectType: 'account',
    unit: 'messages',
    hint: 'See the category of the templates at the provider and here: sends pay for ours, the provider bills its own.',
  },
  account_frozen: {
    severity: 'warning',
    subjectType: 'account',
    unit: 'prefixes',
    hint: 'See what the account sends to the frozen prefixes; close the account, or release them.',
  },
  credits_unsound: {
    severity: 'critical',
    subjectType: 'account',
    unit: 'credits',
    hint: 'Stop changes to the account and compare its proof with its ledger; nothing corrects it by itself.',
  },
  database_slow: {
    severity: 'warning',
    subjectType: null,
    unit: 'seconds',
    hint: 'Look at the load, the disk and the long statements of the database server.',
  },
  redis_away: {
    severity: 'critical',
    subjectType: null,
    unit: null,
    hint: 'Bring Redis back; sends are accepted and wait until then, and limits count in each process.',
  },
  disk_full: {
    severity: 'critical',
    subjectType: 'host',
    unit: 'percent',
    hint: 'Make room on the disk of the host: workers keep their submit logs there.',
  },
  backup_old: {
    severity: 'warning',
    subjectType: null,
    unit: 'hours',
    hint: 'See why no copy was made, and make one: npm run cli -- backup.',
  },
} as const satisfies Record<string, KindTerms>;

export type AlarmKind = keyof typeof KINDS;
export const ALARM_KINDS = Object.keys(KINDS) as AlarmKind[];

export const docUrl = (kind: AlarmKind): string => `/docs/guide/operate/runbook#${kind}`;

export interface Finding {
  subject: string;
  message: string;
  value: number | null;
  threshold: number | null;
}

export interface AlarmCheck {
  readonly kind: AlarmKind;
  /** Rejects when it cannot decide: alarms of its kind then stay unchanged. */
  find(): Promise<Finding[]>;
}

export interface AlarmRow {
  id: number;
  kind: AlarmKind;
  subject: string;
  message: string;
  value: number | null;
  threshold: number | null;
  raisedAt: Date | null;
  clearedAt: Date | null;
}

export interface AlarmData {
  id: number;
  kind: AlarmKind;
  severity: Severity;
  subject_type: SubjectType | null;
  subject: string | null;
  message: string;
  value: number | null;
  threshold: number | null;
  unit: string | null;
  hint: string;
  doc_url: string;
  raised_at: string | null;
  cleared_at: string | null;
}

export function alarmData({ id, kind, subject, message, value, threshold, raisedAt, clearedAt }: AlarmRow): AlarmData {
  const { severity, subjectType, unit, hint } = KINDS[kind];
  return {
    ...{ id, kind, severity, subject_type: subjectType, subject: subject === '' ? null : subject },
    ...{ message, value, threshold, unit, hint, doc_url: docUrl(kind) },
    raised_at: raisedAt?.toISOString() ?? null,
    cleared_at: clearedAt?.toISOString() ?? null,
  };
}
