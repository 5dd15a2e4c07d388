import { ApiProperty } from '@nestjs/swagger';
import { AnswerOf, PageOf } from '../../../platform/http/index.js';
import { ROUTE_HEALTHS, type RouteHealth } from '../../providers/index.js';
import type { RotatedCallback } from '../commands/rotate-callback-secret.command.js';
import type { RouteView } from '../queries/list-routes.query.js';

/** A route as operators see it. */
export class RouteAnswerData implements RouteView {
  @ApiProperty({ example: 'carrier-1' })
  name!: string;

  @ApiProperty({ example: 'sms' })
  channel!: string;

  @ApiProperty({ example: 'smpp' })
  driver!: string;

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Secrets read `***`',
    example: { host: 'smpp.carrier.example', port: 2775, system_id: 'switchboard', password: '***', window: 100 },
  })
  config!: Record<string, unknown>;

  @ApiProperty({ type: 'integer', nullable: true, example: 100, description: 'null: no limit of ours' })
  messages_per_second!: number | null;

  @ApiProperty({ example: true })
  is_default!: boolean;

  @ApiProperty({
    enum: [...ROUTE_HEALTHS],
    example: 'up',
    description: 'Whether the workers reach the carrier: all, some, none, or none has said so in the last 15 seconds',
  })
  health!: RouteHealth;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'Why a worker cannot use the carrier now, such as `Gateway is not reachable: connection refused`',
  })
  last_error!: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'Where an HTTP gateway sends its receipts; its last segment is a secret',
  })
  callback_url!: string | null;

  @ApiProperty({ example: '2026-11-21 09:30:00' })
  created_at!: string;

  @ApiProperty({ example: '2026-11-21 09:30:00' })
  updated_at!: string;
}

export class RouteAnswer extends AnswerOf(RouteAnswerData) {}

export class SavedRouteAnswer extends RouteAnswer {
  @ApiProperty({ example: 'Route saved successfully' })
  message!: string;
}

export class RemovedRouteAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ example: 'Route deleted successfully' })
  message!: string;
}

export class RoutePageAnswer extends PageOf(RouteAnswerData) {}

export class RotatedCallbackData implements RotatedCallback {
  @ApiProperty({
    example: 'https://sms.example/provider/sms/gateway-1/0PJnVc…',
    description: 'Give it to the carrier; its last segment is the new secret',
  })
  callback_url!: string;

  @ApiProperty({ example: '2026-11-22 09:30:00', description: 'The address before is taken until then' })
  previous_valid_until!: string;
}

export class RotatedCallbackAnswer extends AnswerOf(RotatedCallbackData) {
  @ApiProperty({ example: 'Callback secret rotated successfully' })
  message!: string;
}
