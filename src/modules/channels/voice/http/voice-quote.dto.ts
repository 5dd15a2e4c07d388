import { ApiProperty, OmitType } from '@nestjs/swagger';
import { MOST_ROW_FAULTS } from '../../../../kernel/app-error.js';
import { AnswerOf, OLD_CREDITS, RowFaultData } from '../../../../platform/http/index.js';
import { VOICE_PLANS } from '../domain/voice-price.js';
import { voiceChannel } from '../voice.channel.js';
import { VoiceSendBody } from './voice.dto.js';

/** Body of a quote of a voice send: that of the send, where a `broadcast_name` is not needed. */
export class VoiceQuoteBody extends OmitType(VoiceSendBody, ['broadcast_name', 'schedule_time'] as const) {
  @ApiProperty({ enum: [voiceChannel.name], example: voiceChannel.name }) channel!: string;
}

/** What a voice send would cost (reference/voice#quote). */
export class VoiceQuoteData {
  @ApiProperty({ enum: [voiceChannel.name], example: voiceChannel.name }) channel!: string;
  @ApiProperty({ example: 21.4, description: 'length of the speech, or of the audio' }) audio_seconds!: number;
  @ApiProperty({ enum: [...VOICE_PLANS], example: 15, description: 'seconds of a billing block' }) voiceplan!: number;
  @ApiProperty({ example: true }) ivr_enabled!: boolean;
  @ApiProperty({ type: 'integer', example: 2, description: 'under a rate plan what most of them cost' })
  credits_per_contact!: number;
  @ApiProperty({ type: 'integer', example: 4, description: 'exactly what the send would charge' }) credits!: number;
  @ApiProperty(OLD_CREDITS) total_credits!: number;
  @ApiProperty({ example: 'voice_credits' }) balance!: string;
  @ApiProperty({ type: 'integer', example: 1000 }) available!: number;
  @ApiProperty({ type: 'integer', example: 2, description: 'numbers that would be called' }) contacts!: number;
  @ApiProperty({
    type: [RowFaultData],
    maxItems: MOST_ROW_FAULTS,
    description: 'entries that the send would leave out, the first hundred',
  })
  invalid!: RowFaultData[];
  @ApiProperty({ type: 'integer', example: 0, description: 'how many such entries there are' }) refused!: number;
  @ApiProperty({
    type: [String],
    maxItems: MOST_ROW_FAULTS,
    example: [],
    description: 'numbers that come more than once, called once; the first hundred',
  })
  duplicates!: string[];
  @ApiProperty({ type: 'integer', example: 0, description: 'entries whose number came before' })
  duplicates_count!: number;
}

export class VoiceQuoteResponse extends AnswerOf(VoiceQuoteData) {}
