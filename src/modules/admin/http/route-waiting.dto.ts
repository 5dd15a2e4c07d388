import { ApiProperty } from '@nestjs/swagger';
import { ZonedTime } from '../../../platform/http/index.js';
import { CHANNEL_EXAMPLE, CHANNEL_NAMES } from '../../channels/index.js';
import { CAMPAIGN_STATES, type CampaignState } from '../../engine/index.js';

/** A campaign of which something waits on a route. */
export class WaitingCampaignData {
  @ApiProperty({ example: 'GSMCAMP_20261122_A1B2C3' })
  request_id!: string;

  @ApiProperty({ example: 'Autumn offer' })
  broadcast_name!: string;

  @ApiProperty({ example: 'demo' })
  username!: string;

  @ApiProperty({ example: CHANNEL_EXAMPLE, enum: [...CHANNEL_NAMES] })
  channel!: string;

  @ApiProperty({ example: 'running', enum: [...CAMPAIGN_STATES] })
  state!: CampaignState;

  @ZonedTime({ zone: 'asker', nullable: true, description: 'When it begins; null = at once' })
  scheduled_at!: string | null;

  @ApiProperty({ example: 500, description: 'Recipients that wait there: due, or later' })
  waiting!: number;
}

export class RouteWaitingAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ type: [WaitingCampaignData] })
  data!: WaitingCampaignData[];

  @ApiProperty({ example: false, description: 'More than are shown: 100 campaigns, by a look at 2,000 parts of them' })
  has_more!: boolean;
}
