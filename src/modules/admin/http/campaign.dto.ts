import { ApiProperty } from '@nestjs/swagger';
import { OptionalRevision, OptionalText, PageOf } from '../../../platform/http/index.js';
import { StaffCampaignAnswer } from '../../campaigns/index.js';

/** Body of an approval or a rejection. */
export class DecisionRequest {
  @OptionalRevision()
  revision?: number | null;
}

/** Body of a rejection: its owner reads the reason. */
export class RejectionRequest extends DecisionRequest {
  @OptionalText('reason', { example: 'The number in the menu is not yours' })
  reason?: string | null;
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
