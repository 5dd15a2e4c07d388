import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { clockTime, dateTime, isoDate } from '../../kernel/clock.js';
import { LocalTime } from '../../platform/http/index.js';
import type { Account } from '../accounts/index.js';
import type { CampaignRecord } from '../engine/index.js';

const REQUEST_ID = 'GSMCAMP_20260501_A1B2C3';
const STATUSES = ['PP1', 'SENT', 'DELIVERED', 'FAILED', 'CANCELLED'];

/** The same names count in the query, except providerMessageId. */
export class SmsReportBody {
  @ApiProperty({
    description: 'Also accepted as requestid, provider_message_id, providermessageid or (in a body) providerMessageId.',
    example: REQUEST_ID,
  })
  request_id!: string;

  @ApiPropertyOptional({ enum: STATUSES, description: 'Only records of this status.', example: 'DELIVERED' })
  status?: string;

  @ApiPropertyOptional({ description: 'One page of the records; without page and limit all come.', example: 1 })
  page?: number;

  @ApiPropertyOptional({ description: '50 when page is given, at most 1000.', example: 100 })
  limit?: number;
}

export const REPORT_EXAMPLES = {
  whole: { summary: 'Every record', value: { request_id: REQUEST_ID } },
  page: {
    summary: 'One page of the failed ones',
    value: { request_id: REQUEST_ID, status: 'FAILED', page: 1, limit: 100 },
  },
};

/** Summary of an SMS campaign (reference/delivery-reports#sms-summary). */
export class SmsSummary {
  @ApiProperty({ example: REQUEST_ID })
  requestid!: string;

  @ApiProperty({ example: 'demo' })
  username!: string;

  @ApiProperty({ example: '2', description: 'Credits taken at acceptance, for all contacts.' })
  deduction!: string;

  @ApiProperty({ example: '2' })
  contacts!: string;

  @ApiProperty({ example: 'Spring sale' })
  broadcast_name!: string;

  @LocalTime({ example: '2026-05-01 12:30:00', description: 'The moment of acceptance when unscheduled.' })
  schedule_time!: string;

  @ApiProperty({ format: 'date', example: '2026-05-01', description: 'Its day, in the same zone.' })
  schedule_date!: string;
}

/** Times in the account's zone; time of acceptance when unscheduled. */
export function smsSummary({ campaign, account }: { campaign: CampaignRecord; account: Account }): SmsSummary {
  const at = campaign.scheduledAt ?? campaign.createdAt;
  return {
    requestid: campaign.requestId,
    username: account.username,
    deduction: String(campaign.chargedCredits),
    contacts: String(campaign.totalRows),
    broadcast_name: campaign.broadcastName,
    schedule_time: dateTime(at, account.timeZone),
    schedule_date: isoDate(at, account.timeZone),
  };
}

export class SmsDeliveryRecord {
  @ApiProperty({ enum: ['gsm.status.update'], example: 'gsm.status.update' })
  event!: string;

  @ApiProperty({ example: REQUEST_ID })
  providerMessageId!: string;

  @ApiProperty({ example: '919812345678' })
  receiver!: string;

  @ApiProperty({ example: 'DELIVERED', enum: STATUSES })
  status!: string;

  @ApiProperty({ example: 0, enum: [0, 1], description: '1 when failed.' })
  status_code!: number;

  @ApiProperty({ type: Number, nullable: true, example: null, description: "The carrier's number." })
  error_code!: number | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  errorMessage!: string | null;
}

export class SmsReportData {
  @ApiProperty()
  summary!: SmsSummary;

  @ApiProperty({ example: 2 })
  total_rows!: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    example: { DELIVERED: 1, FAILED: 1 },
    description: 'Of the whole campaign, without zeros.',
  })
  status_counts!: Record<string, number>;

  @ApiProperty({ type: [SmsDeliveryRecord], description: 'In the order of the contacts.' })
  records!: SmsDeliveryRecord[];
}

export class SmsReportAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: REQUEST_ID })
  request_id!: string;

  @ApiProperty()
  data!: SmsReportData;
}

const VOICE_REPORT_REQUEST_ID = 'VCAMP_20260501_A1B2C3D4';

/** Summary of a voice campaign (reference/delivery-reports#voice-summary). */
export class VoiceSummary {
  @ApiProperty({ example: VOICE_REPORT_REQUEST_ID })
  requestid!: string;

  @ApiProperty({ example: 'demo' })
  username!: string;

  @ApiProperty({
    example: '2',
    description: 'Credits per contact as charged; where they differ, what most of them cost.',
  })
  deduction!: string;

  @ApiProperty({ example: '4', description: 'Credits for all contacts, less what was given back.' })
  total_credits_used!: string;

  @ApiProperty({ example: '2' })
  contacts!: string;

  @ApiProperty({ example: 'Appointment reminder' })
  broadcast_name!: string;

  @ApiProperty({
    format: 'date',
    example: '2026-05-01',
    description: 'The day of acceptance when unscheduled. In the time zone of the account',
  })
  Date!: string;

  @ApiProperty({
    pattern: String.raw`^\d{2}:\d{2}:\d{2}$`,
    example: '12:30:00',
    description: 'HH:MM:SS in the time zone of the account.',
  })
  Time!: string;
}

/** Times in the account's zone; time of acceptance when unscheduled. Refunded credits count as unused. */
export function voiceSummary({ campaign, account }: { campaign: CampaignRecord; account: Account }): VoiceSummary {
  const at = campaign.scheduledAt ?? campaign.createdAt;
  return {
    requestid: campaign.requestId,
    username: account.username,
    deduction: String(campaign.unitCredits),
    total_credits_used: String(campaign.chargedCredits - campaign.refundedCredits),
    contacts: String(campaign.totalRows),
    broadcast_name: campaign.broadcastName,
    Date: isoDate(at, account.timeZone),
    Time: clockTime(at, account.timeZone),
  };
}

export class VoiceDeliveryRecord {
  @ApiProperty({ enum: ['voice.status.update'], example: 'voice.status.update' })
  event!: string;

  @ApiProperty({ example: VOICE_REPORT_REQUEST_ID })
  providerMessageId!: string;

  @ApiProperty({ example: '919812345678' })
  receiver!: string;

  @ApiProperty({
    example: 'ANSWERED',
    enum: ['PENDING', 'INITIATED', 'ANSWERED', 'FAILED', 'NO_ANSWER', 'BUSY', 'CANCELLED'],
  })
  status!: string;

  @ApiProperty({ example: 0, enum: [0, 1], description: '1 when failed.' })
  status_code!: number;

  @ApiProperty({ type: Number, nullable: true, example: null, description: "The network's number." })
  error_code!: number | null;

  @ApiProperty({ type: String, nullable: true, example: null })
  errorMessage!: string | null;

  @ApiProperty({ example: 14, description: 'Seconds of the call, 0 when unanswered.' })
  duration!: number;
}

export class VoiceReportData {
  @ApiProperty()
  summary!: VoiceSummary;

  @ApiProperty({ example: 2 })
  total_rows!: number;

  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'integer' },
    example: { ANSWERED: 1, BUSY: 1 },
    description: 'Of the whole campaign, without zeros.',
  })
  status_counts!: Record<string, number>;

  @ApiProperty({ type: [VoiceDeliveryRecord], description: 'In the order of the contacts.' })
  records!: VoiceDeliveryRecord[];
}

export class VoiceReportAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: VOICE_REPORT_REQUEST_ID })
  request_id!: string;

  @ApiProperty()
  data!: VoiceReportData;
}
