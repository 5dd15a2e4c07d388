import { ApiProperty } from '@nestjs/swagger';
import { CampaignData, type DeskCampaignView } from '../../campaigns/index.js';

/** A campaign as the desk sees it. */
export class DeskCampaignAnswer extends CampaignData implements DeskCampaignView {
  @ApiProperty({ example: 'demo' })
  username!: string;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'Voice: what the recipients hear, to be played from the listing',
  })
  audio_url!: string | null;
}

/** A page of campaigns. */
export class DeskCampaignPageAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty({ type: [DeskCampaignAnswer] })
  data!: DeskCampaignAnswer[];

  @ApiProperty({ example: 1 })
  page!: number;

  @ApiProperty({ example: 50 })
  limit!: number;

  @ApiProperty({ example: 1 })
  total!: number;
}
