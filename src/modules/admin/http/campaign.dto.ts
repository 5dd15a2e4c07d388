import { ApiProperty } from '@nestjs/swagger';
import { OptionalRevision, PageOf } from '../../../platform/http/index.js';
import { StaffCampaignAnswer } from '../../campaigns/index.js';

/** Body of an approval or a rejection. */
export class DecisionRequest {
  @OptionalRevision()
  revision?: number | null;
}

/** One campaign. */
export class StaffCampaignOneAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty()
  data!: StaffCampaignAnswer;
}

/** A page of campaigns. */
export class StaffCampaignPageAnswer extends PageOf(StaffCampaignAnswer) {}
