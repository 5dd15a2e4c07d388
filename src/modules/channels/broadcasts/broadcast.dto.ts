import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { LATE, LATE_AFTER, SCHEDULE_TIME } from '../../../platform/http/index.js';
import type { AcceptedCampaign } from '../../engine/index.js';

/** Fields of both broadcasts, for Swagger; `readBroadcast` reads and validates them. */
export class BroadcastBody {
  @ApiPropertyOptional({
    description:
      'Sends as this account without a token and takes precedence over one. Not for staff accounts, nor for accounts that demand a token.',
    example: 'demo',
  })
  username?: string;

  @ApiProperty({ description: 'Longer names are cut at 100 characters.', example: 'Spring sale' })
  broadcast_name!: string;

  @ApiProperty({
    description: 'The route. A name that is no route of the channel goes over the default route.',
    example: 'sandbox',
  })
  brodcast_service!: string;

  @ApiProperty({
    description: 'Everything but digits is removed; each 9 to 30 digits. In a form: comma-separated.',
    type: [String],
    example: ['919812345678', '919812345679'],
  })
  contacts!: string[];

  @ApiPropertyOptional(SCHEDULE_TIME)
  schedule_time?: string;

  @ApiPropertyOptional(LATE)
  late?: 'send' | 'expire' | 'hold';

  @ApiPropertyOptional(LATE_AFTER)
  late_after_s?: number;
}

export const BROADCAST_EXAMPLE = {
  broadcast_name: 'Spring sale',
  brodcast_service: 'sandbox',
  contacts: ['919812345678', '919812345679'],
  message: 'Hello from Switchboard',
};

/** The answer to an accepted broadcast (reference/engine#request-ids). */
export interface AcceptedBroadcast {
  requestId: string;
  credits: number;
  /** absent from older stored answers */
  routeId?: number;
}

export const acceptedBroadcast = ({ requestId, chargedCredits, routeId }: AcceptedCampaign): AcceptedBroadcast => ({
  requestId,
  credits: chargedCredits,
  routeId,
});
