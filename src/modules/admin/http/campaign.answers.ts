import { ApiProperty } from '@nestjs/swagger';
import { PageOf } from '../../../platform/http/index.js';
import { CampaignData, type DeskCampaignView } from '../../campaigns/index.js';

/** A campaign as the desk sees it. */
export class DeskCampaignAnswer extends CampaignData implements DeskCampaignView {
  @ApiProperty({ example: 'demo' })
  username!: string;

  @ApiProperty({ example: 1, description: 'Always 1: an owner changes nothing after the acceptance' })
  revision!: number;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'Voice: what the recipients hear, to be played from the listing',
  })
  audio_url!: string | null;
}

/** A page of campaigns. */
export class DeskCampaignPageAnswer extends PageOf(DeskCampaignAnswer) {}
