import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { CUSTOMER_EVENT_TYPES } from '../event-types.js';

/** Body of a test. */
export class WebhookTestBody {
  @ApiPropertyOptional({
    enum: [...CUSTOMER_EVENT_TYPES],
    example: 'gsm.status.update',
    description: 'One of the webhook’s `events`; its first by default',
  })
  type?: string;
}

/** What the endpoint answered to a test event. */
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
