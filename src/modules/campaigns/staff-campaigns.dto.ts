import { ApiProperty } from '@nestjs/swagger';
import { FIRST_REVISION } from '../../kernel/errors.js';
import { LocalTime, OneOf, OptionalRevision, OptionalText, PageOf, ZonedTime } from '../../platform/http/index.js';
import type { Channel } from '../engine/index.js';
import { campaignData, CampaignData, type CampaignSurroundings } from './campaigns.dto.js';
import type { CountedCampaign } from './campaigns.store.js';

type ReviewContent = ReturnType<NonNullable<Channel['reviewContent']>>;
type ReviewMenuRow = NonNullable<ReviewContent['menu']>[number];

const NO_REVIEW_CONTENT: ReviewContent = {
  audio_url: null,
  message: null,
  language: null,
  caller_id: null,
  retries: null,
  menu: null,
};

/** An owner cannot edit an accepted campaign, so its revision is constant. */
export const CAMPAIGN_REVISION = FIRST_REVISION;

const nullable = { type: String, nullable: true } as const;
const CLIP = 'https://api.example.com/audio/5kq2vJm1XhQn0c8ZrY3tLw5kq2vJm1Xh.wav';

class ReviewMenuKey {
  @ApiProperty({ example: '1' })
  digit!: string;

  @ApiProperty({ ...nullable, example: CLIP, description: 'submenu, audio: what is played' })
  clip!: string | null;

  @ApiProperty({ ...nullable, example: null, description: 'Where the clip was fetched' })
  source!: string | null;

  @ApiProperty({ ...nullable, example: null, description: 'audio: what follows the clip' })
  after!: string | null;

  @ApiProperty({ ...nullable, example: '919812345678', description: 'transfer: who is called' })
  number!: string | null;

  @ApiProperty({ type: [String], example: [], description: 'transfer: who is called next, in order' })
  fallback_numbers!: string[];

  @ApiProperty({ type: () => [ReviewMenuRowAnswer], description: 'submenu: its keys' })
  rows!: ReviewMenuRowAnswer[];
}

class ReviewTransferRow extends ReviewMenuKey {
  @ApiProperty({ enum: ['transfer'] })
  action!: 'transfer';
}

class ReviewSubmenuRow extends ReviewMenuKey {
  @ApiProperty({ enum: ['submenu'] })
  action!: 'submenu';

  @ApiProperty({ nullable: false, description: 'The prompt' })
  declare clip: string;
}

class ReviewAudioRow extends ReviewMenuKey {
  @ApiProperty({ enum: ['audio'] })
  action!: 'audio';

  @ApiProperty({ nullable: false, description: 'What is played' })
  declare clip: string;

  @ApiProperty({ enum: ['hangup', 'repeat', 'back'], description: 'What follows it' })
  declare after: string | null;
}

class ReviewRecordRow extends ReviewMenuKey {
  @ApiProperty({ enum: ['record'] })
  action!: 'record';
}

class ReviewBackRow extends ReviewMenuKey {
  @ApiProperty({ enum: ['back'] })
  action!: 'back';
}

@OneOf('action', {
  transfer: ReviewTransferRow,
  submenu: ReviewSubmenuRow,
  audio: ReviewAudioRow,
  record: ReviewRecordRow,
  back: ReviewBackRow,
})
export class ReviewMenuRowAnswer extends ReviewMenuKey implements ReviewMenuRow {
  action!: string;
}

export class StaffCampaignAnswer extends CampaignData implements ReviewContent {
  @ApiProperty({ example: 'demo' })
  username!: string;

  @ApiProperty({ ...nullable, example: null, description: 'Why it was rejected' })
  reason!: string | null;

  @ApiProperty({ example: 1, description: 'Always 1: an owner changes nothing after the acceptance' })
  revision!: number;

  @ApiProperty({
    type: String,
    nullable: true,
    example: null,
    description: 'Voice: what the recipients hear, to be played from the listing',
  })
  audio_url!: string | null;

  @ApiProperty({ ...nullable, example: null, description: 'Voice: the text that was spoken' })
  message!: string | null;

  @ApiProperty({ ...nullable, example: null, description: 'Voice: the language of the text, as given' })
  language!: string | null;

  @ApiProperty({ ...nullable, example: null, description: 'Voice: the number shown; null = the route’s own' })
  caller_id!: string | null;

  @ApiProperty({ type: Number, nullable: true, example: null, description: 'Voice: further calls at most' })
  retries!: number | null;

  @ApiProperty({ type: [ReviewMenuRowAnswer], nullable: true, description: 'Voice: every key of the first menu' })
  menu!: ReviewMenuRowAnswer[] | null;

  @ApiProperty({ example: 2, description: 'How many there are' })
  recipients!: number;
}

/** A list mixes campaigns of many accounts, so its times use the zone of the requesting account. */
const LATER = { zone: 'asker', nullable: true, example: null } as const;
const TIMES = {
  created_at: { zone: 'asker' },
  sent_at: { ...LATER, description: 'the last recipient left' },
  completed_at: { ...LATER, description: 'every recipient is final' },
} as const;
for (const [field, options] of Object.entries(TIMES)) LocalTime(options)(StaffCampaignAnswer.prototype, field);
ZonedTime({ ...LATER, description: 'when it begins; null = at once' })(StaffCampaignAnswer.prototype, 'scheduled_at');

export const staffCampaign = (
  counted: CountedCampaign,
  channel: Channel,
  around: CampaignSurroundings & { username: string },
): StaffCampaignAnswer => ({
  ...campaignData(counted, channel, around),
  username: around.username,
  reason: counted.campaign.reason,
  revision: CAMPAIGN_REVISION,
  recipients: counted.campaign.totalRows,
  ...(channel.reviewContent?.(counted.campaign.content) ?? NO_REVIEW_CONTENT),
});

export class DecisionRequest {
  @OptionalRevision()
  revision?: number | null;
}

export class RejectionRequest extends DecisionRequest {
  @OptionalText('reason', { example: 'The number in the menu is not yours' })
  reason?: string | null;
}

export class StaffCampaignOneAnswer {
  @ApiProperty({ example: true })
  success!: true;

  @ApiProperty()
  data!: StaffCampaignAnswer;
}

export class StaffCampaignPageAnswer extends PageOf(StaffCampaignAnswer) {}
