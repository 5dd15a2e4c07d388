import { ApiProperty, ApiPropertyOptional, OmitType } from '@nestjs/swagger';
import { dateTime } from '../../kernel/clock.js';
import { readId } from '../../kernel/ids.js';
import { makerForOwner } from '../../kernel/maker.js';
import { AnswerOf, LocalTime, MadeBy, type MakerData, PageOf } from '../../platform/http/index.js';
import { type EndpointHealth, MOST_WAITING, type TriesOf } from './endpoint-health.store.js';
import { ALL_EVENT_TYPES, CUSTOMER_EVENT_TYPES, isTestEvent } from './events.js';
import type { WebhookAttemptEntity, WebhookEndpointEntity } from './tables.js';
import { LONGEST_URL, MOST_WEBHOOKS, WEBHOOK_STATUSES, type WebhookStatus } from './webhook.js';
import { webhookErrors } from './webhooks.errors.js';

const URL_FIELD = { example: 'https://shop.example/hooks/switchboard', maxLength: LONGEST_URL };
const EVENTS_FIELD = {
  enum: [...ALL_EVENT_TYPES],
  isArray: true,
  minItems: 1,
  uniqueItems: true,
  example: ['gsm.status.update', 'campaign.completed'],
};
const EVENT_ID = 'evt_0193a2b4c5d6a1b2c3d4e5f607000000';

export class WebhookBody {
  @ApiProperty(URL_FIELD)
  url!: string;

  @ApiProperty(EVENTS_FIELD)
  events!: string[];
}

export class WebhookChangesBody {
  @ApiPropertyOptional(URL_FIELD)
  url?: string;

  @ApiPropertyOptional(EVENTS_FIELD)
  events?: string[];

  @ApiPropertyOptional({
    enum: [...WEBHOOK_STATUSES],
    example: 'active',
    description: '`active` revives a disabled webhook',
  })
  status?: WebhookStatus;
}

/** A webhook with its secret: only at creation and rotation. */
export class SecretWebhookData {
  @ApiProperty({ type: 'integer', example: 3 })
  id!: number;

  @ApiProperty({ example: URL_FIELD.example })
  url!: string;

  @ApiProperty(EVENTS_FIELD)
  events!: string[];

  @ApiProperty({ enum: [...WEBHOOK_STATUSES], example: 'active' })
  status!: WebhookStatus;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'Why it is disabled' })
  disabled_reason!: string | null;

  @MadeBy()
  created_by!: MakerData | null;

  @LocalTime()
  created_at!: string;

  @LocalTime()
  updated_at!: string;

  @ApiProperty({
    example: 'whsec_…',
    description: 'The key of the signatures (Standard Webhooks). Shown this once: keep it.',
  })
  secret!: string;
}

export class WebhookData extends OmitType(SecretWebhookData, ['secret'] as const) {}

export const webhookData = (row: WebhookEndpointEntity, zone: string) =>
  ({
    id: row.id,
    url: row.url,
    events: row.events.split(','),
    status: row.status as WebhookStatus,
    disabled_reason: row.disabledReason,
    created_by: makerForOwner(row.createdBy),
    created_at: dateTime(row.createdAt, zone),
    updated_at: dateTime(row.updatedAt, zone),
  }) satisfies WebhookData;

/** Reads the id of a path. Throws AppError not_found for other text. */
export function readWebhookId(text: string): number {
  const id = readId(text);
  if (id === null) throw webhookErrors.notFound();
  return id;
}

export class SecretWebhookAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Webhook created successfully' })
  message!: string;

  @ApiProperty({ type: SecretWebhookData })
  data!: SecretWebhookData;
}

export class ChangedWebhookAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Webhook updated successfully' })
  message!: string;

  @ApiProperty({ type: WebhookData })
  data!: WebhookData;
}

export class WebhookAnswer extends AnswerOf(WebhookData) {}

export class WebhookPageAnswer extends PageOf(WebhookData, MOST_WEBHOOKS) {}

export class RemovedWebhookAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Webhook deleted successfully' })
  message!: string;
}

/** A try (reference/webhooks#log). */
export class AttemptData {
  @ApiProperty({ example: EVENT_ID, description: 'The `webhook-id`, the same over all tries' })
  event_id!: string;

  @ApiProperty({ enum: [...ALL_EVENT_TYPES], example: 'gsm.status.update' })
  type!: string;

  @ApiProperty({ type: 'integer', example: 2, description: 'Counts from 1; replays count on' })
  attempt!: number;

  @ApiProperty({ type: 'integer', nullable: true, example: 500, description: 'null: no answer' })
  status_code!: number | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'Answered 500: out of order',
    description: 'null: delivered; otherwise what went wrong, with the first KB of the answer',
  })
  error!: string | null;

  @ApiProperty({ type: 'integer', example: 84 })
  duration_ms!: number;

  @LocalTime()
  created_at!: string;

  @LocalTime({ nullable: true, description: 'null: delivered, or given up' })
  next_attempt_at!: string | null;

  @ApiProperty({ example: false, description: 'Whether it was a test event' })
  test!: boolean;
}

export const attemptData = (row: WebhookAttemptEntity, zone: string): AttemptData => ({
  event_id: row.eventId,
  type: row.type,
  attempt: row.attempt,
  status_code: row.statusCode,
  error: row.error !== null && row.answer !== '' ? `${row.error}: ${row.answer}` : row.error,
  duration_ms: row.durationMs,
  created_at: dateTime(row.createdAt, zone),
  next_attempt_at: row.nextAttemptAt && dateTime(row.nextAttemptAt, zone),
  test: isTestEvent(row.eventId),
});

export class AttemptPageAnswer extends PageOf(AttemptData) {}

class ReplayData {
  @ApiProperty({ example: EVENT_ID })
  event_id!: string;

  @ApiProperty({ type: 'integer', example: 1, description: 'Active webhooks that take its type' })
  webhooks!: number;
}

export class ReplayAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Webhook event queued for delivery' })
  message!: string;

  @ApiProperty({ type: ReplayData })
  data!: ReplayData;
}

export const replayAnswer = (eventId: string, webhooks: number): ReplayAnswer => ({
  success: true,
  message: 'Webhook event queued for delivery',
  data: { event_id: eventId, webhooks },
});

export class WebhookTestBody {
  @ApiPropertyOptional({
    enum: [...CUSTOMER_EVENT_TYPES],
    example: 'gsm.status.update',
    description: 'One of the webhook’s `events`; its first by default',
  })
  type?: string;
}

export class WebhookTestData {
  @ApiProperty({ example: 'tst_0193a2b4c5d6a1b2c3d4e5f607000000', description: 'The `webhook-id`' })
  event_id!: string;

  @ApiProperty({ enum: [...CUSTOMER_EVENT_TYPES], example: 'gsm.status.update' })
  type!: string;

  @ApiProperty({ example: true, description: 'Whether the endpoint answered 2xx' })
  delivered!: boolean;

  @ApiProperty({ type: 'integer', nullable: true, example: 200, description: 'null: no answer' })
  status_code!: number | null;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'null: delivered' })
  error!: string | null;

  @ApiProperty({ example: 'ok', description: 'The first KB of the answer' })
  answer!: string;

  @ApiProperty({ type: 'integer', example: 84 })
  duration_ms!: number;
}

export class WebhookTestAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Test event sent' })
  message!: string;

  @ApiProperty({ type: WebhookTestData })
  data!: WebhookTestData;
}

export class TriesData {
  @ApiProperty({ type: 'integer', example: 120 })
  tries!: number;

  @ApiProperty({ type: 'integer', example: 3 })
  failed!: number;

  @ApiProperty({ type: Number, nullable: true, example: 0.025, description: 'From 0 to 1; null: no try' })
  failure_rate!: number | null;
}

/** A webhook of any account as staff see it; times in the reader's time zone. */
export class StaffWebhookData extends WebhookData {
  @ApiProperty({ example: 'jane.doe' })
  username!: string;

  @LocalTime({ zone: 'asker', nullable: true, example: null, description: 'The first failure since the last success' })
  failing_since!: string | null;

  @LocalTime({ zone: 'asker', nullable: true, description: 'null: none in 30 days' })
  last_success_at!: string | null;

  @ApiProperty({ type: TriesData })
  last_hour!: TriesData;

  @ApiProperty({ type: TriesData })
  last_day!: TriesData;

  @ApiProperty({ type: 'integer', example: 0, description: `Events that wait for it, ${MOST_WAITING} at the most` })
  backlog!: number;

  @LocalTime({ zone: 'asker', nullable: true, example: null, description: 'When the oldest of them happened' })
  oldest_waiting_at!: string | null;
}

export const staffWebhookData = (
  row: WebhookEndpointEntity,
  username: string,
  health: EndpointHealth,
  zone: string,
): StaffWebhookData => {
  const moment = (at: Date | null): string | null => at && dateTime(at, zone);
  return {
    ...webhookData(row, zone),
    username,
    failing_since: moment(row.failingSince),
    last_success_at: moment(health.lastSuccessAt),
    last_hour: triesData(health.lastHour),
    last_day: triesData(health.lastDay),
    backlog: health.waiting,
    oldest_waiting_at: moment(health.oldestWaitingAt),
  };
};

export class StaffWebhookAnswer extends AnswerOf(StaffWebhookData) {}

export class StaffWebhookPageAnswer extends PageOf(StaffWebhookData) {}

const triesData = ({ tries, failed }: TriesOf): TriesData => ({
  tries,
  failed,
  failure_rate: tries === 0 ? null : Math.round((failed / tries) * 10_000) / 10_000,
});
