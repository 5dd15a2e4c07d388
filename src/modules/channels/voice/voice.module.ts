import { Global, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../../accounts/index.js';
import { AudioModule } from '../../audio/index.js';
import { AttemptLogs, ChannelOffers, ChannelRegistry, EngineModule, RecipientDetails } from '../../engine/index.js';
import { CreditsModule } from '../../credits/index.js';
import { IdempotencyModule } from '../../idempotency/index.js';
import { CallScripts, RoutesModule } from '../../providers/index.js';
import { CallDetailsSource } from './calls/call-details.js';
import { ScriptedCalls } from './calls/scripted-calls.js';
import { CampaignAudio } from './commands/campaign-audio.js';
import { SendVoiceCampaignHandler } from './commands/send-voice-campaign.command.js';
import { VoiceController } from './http/voice.controller.js';
import { CallAttemptLog } from './persistence/call-attempt-log.js';
import { LiveCalls } from './persistence/live-calls.js';
import { VoiceCallEntity } from './persistence/voice-call.entity.js';
import { VoiceCalls } from './persistence/voice-calls.js';
import { voiceChannel } from './voice.channel.js';
import { voiceOffer } from './voice.offer.js';

/**
 * Voice in the API: sending, simulating, and answering the network's questions. Global, because the providers module asks
 * `CallScripts` what comes next in a call and must not import the voice module.
 */
@Global()
@Module({
  imports: [
    CqrsModule,
    TypeOrmModule.forFeature([VoiceCallEntity]),
    AccountsModule,
    AudioModule,
    EngineModule,
    CreditsModule,
    IdempotencyModule,
    RoutesModule,
  ],
  providers: [
    SendVoiceCampaignHandler,
    CampaignAudio,
    CallAttemptLog,
    LiveCalls,
    VoiceCalls,
    CallDetailsSource,
    ScriptedCalls,
    { provide: CallScripts, useExisting: ScriptedCalls },
  ],
  controllers: [VoiceController],
  exports: [CallScripts, VoiceCalls],
})
export class VoiceModule {
  constructor(
    channels: ChannelRegistry,
    offers: ChannelOffers,
    journals: AttemptLogs,
    details: RecipientDetails,
    journal: CallAttemptLog,
    calls: CallDetailsSource,
  ) {
    channels.register(voiceChannel);
    offers.register(voiceOffer);
    journals.register(voiceChannel.name, journal);
    details.registerColumns(voiceChannel.name, calls);
    details.registerTimeline(calls);
  }
}
