import { ApiProperty } from '@nestjs/swagger';
import { PageOf } from '../../platform/http/index.js';
import {
  ALARM_KINDS,
  alarmData,
  type AlarmData,
  type AlarmKind,
  docUrl,
  KINDS,
  SEVERITIES,
  type Severity,
  SUBJECT_TYPES,
  type SubjectType,
} from './alarm-kinds.js';
import type { AlarmEntity } from './tables.js';

const MOMENT = { type: String, format: 'date-time', example: '2026-11-22T02:14:05.120Z' } as const;

export const ALARM_STATES = ['active', 'past'] as const;

/** An alarm as staff see it (reference/admin#alarms). */
export class AlarmAnswer implements AlarmData {
  @ApiProperty({ type: 'integer', example: 373826482176001 })
  id!: number;

  @ApiProperty({ enum: ALARM_KINDS, example: 'route_down' })
  kind!: AlarmKind;

  @ApiProperty({ enum: [...SEVERITIES], example: 'critical' })
  severity!: Severity;

  @ApiProperty({ enum: [...SUBJECT_TYPES, null], type: String, nullable: true, example: 'route' })
  subject_type!: SubjectType | null;

  @ApiProperty({ type: String, nullable: true, example: 'carrier-one', description: 'null: the installation' })
  subject!: string | null;

  @ApiProperty({ example: 'Route carrier-one is down: connect ECONNREFUSED 203.0.113.5:2775' })
  message!: string;

  @ApiProperty({ type: Number, nullable: true, example: null })
  value!: number | null;

  @ApiProperty({ type: Number, nullable: true, example: null, description: 'From which value on it is wrong' })
  threshold!: number | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'Of value and threshold' })
  unit!: string | null;

  @ApiProperty({ example: KINDS.route_down.hint, description: 'What to do first' })
  hint!: string;

  @ApiProperty({ example: docUrl('route_down'), description: 'What to do' })
  doc_url!: string;

  @ApiProperty({ enum: [...ALARM_STATES], example: 'active' })
  state!: (typeof ALARM_STATES)[number];

  @ApiProperty(MOMENT)
  raised_at!: string;

  @ApiProperty(MOMENT)
  last_seen_at!: string;

  @ApiProperty({ ...MOMENT, nullable: true, example: null })
  cleared_at!: string | null;

  @ApiProperty({ ...MOMENT, nullable: true, example: null })
  acknowledged_at!: string | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'Username of who has seen it' })
  acknowledged_by!: string | null;
}

export class AlarmPageAnswer extends PageOf(AlarmAnswer) {}

export class AcknowledgedAlarmAnswer {
  @ApiProperty({ type: Boolean, enum: [true], example: true })
  success!: true;

  @ApiProperty({ example: 'Alarm acknowledged' })
  message!: string;

  @ApiProperty({ type: AlarmAnswer })
  data!: AlarmAnswer;
}

export function alarmAnswer(row: AlarmEntity): AlarmAnswer {
  const { id, subject, message, value, threshold, raisedAt, clearedAt } = row;
  return {
    ...alarmData({ id, kind: row.kind as AlarmKind, subject, message, value, threshold, raisedAt, clearedAt }),
    state: row.state === 'past' ? 'past' : 'active',
    raised_at: (raisedAt ?? row.firstSeenAt).toISOString(),
    last_seen_at: row.lastSeenAt.toISOString(),
    acknowledged_at: row.acknowledgedAt?.toISOString() ?? null,
    acknowledged_by: row.acknowledgedBy,
  };
}
