import { ApiProperty } from '@nestjs/swagger';
import { dateTime } from '../../../kernel/clock.js';
import { AnswerOf, PageOf, LocalTime } from '../../../platform/http/index.js';
import { type EndpointHealth, MOST_WAITING, type TriesOf } from '../persistence/endpoint-health.js';
import type { WebhookEndpointEntity } from '../persistence/webhook.entities.js';
import { WebhookData, webhookData } from './webhook.dto.js';

/** Tries of a while, to ten minutes. */
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
