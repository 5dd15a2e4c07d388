import { type AlarmKind, docUrl, KINDS, type Severity, type SubjectType } from './kinds.js';

/** An alarm as its row has it. */
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

/** What staff and their webhooks are told of an alarm (reference/admin#alarms). */
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
