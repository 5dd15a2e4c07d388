import { ApiProperty } from '@nestjs/swagger';
import type { CampaignView } from '../queries/get-campaign.query.js';

const nullableTime = { type: String, nullable: true, example: '2026-11-21 10:30:05' } as const;

class CampaignData implements CampaignView {
  @ApiProperty({ example: 'GSMCAMP_20261121_A1B2C3' }) request_id!: string;
  @ApiProperty({ example: 'sms', enum: ['sms', 'unofficial', 'template', 'branded', 'voice'] }) channel!: string;
  @ApiProperty({ example: 'Diwali offer' }) broadcast_name!: string;
  @ApiProperty({ example: 'PP1', description: "the channel's own text; at the end Completed, Cancelled or Rejected" })
  status!: string;
  @ApiProperty({
    example: 'running',
    enum: ['pending_approval', 'accepted', 'running', 'paused', 'completed', 'cancelled', 'failed', 'rejected'],
  })
  state!: string;
  @ApiProperty({ example: 2 }) total_rows!: number;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'integer' }, example: { DELIVERED: 2 } })
  status_counts!: Record<string, number>;
  @ApiProperty({ example: 2, description: 'credits charged at acceptance' }) credits!: number;
  @ApiProperty({ type: String, nullable: true, example: null }) retry_of!: string | null;
  @ApiProperty(nullableTime) scheduled_at!: string | null;
  @ApiProperty({ example: '2026-11-21 10:30:00' }) created_at!: string;
  @ApiProperty(nullableTime) sent_at!: string | null;
  @ApiProperty(nullableTime) completed_at!: string | null;
}

export class CampaignResponse {
  @ApiProperty({ example: true }) success!: boolean;
  @ApiProperty({ type: CampaignData }) data!: CampaignData;
}

class CampaignChanged {
  @ApiProperty({ example: 'GSMCAMP_20261121_A1B2C3' }) request_id!: string;
  @ApiProperty({ example: 'paused' }) state!: string;
}

export class CampaignChangedResponse {
  @ApiProperty({ example: true }) success!: boolean;
  @ApiProperty({ type: CampaignChanged }) data!: CampaignChanged;
}
