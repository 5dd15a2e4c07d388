import { Global, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../../accounts/index.js';
import { AudioModule } from '../../audio/index.js';
import { EngineModule } from '../../engine/index.js';
import { CreditsModule } from '../../credits/index.js';
import { GuardModule } from '../../guard/index.js';
import { IdempotencyModule } from '../../idempotency/index.js';
import { CallScripts, RoutesModule } from '../../providers/index.js';
import { SenderIdsModule } from '../../sender-ids/index.js';
import { ScriptedCalls } from './calls/scripted-calls.js';
import { CampaignAudio } from './campaign-audio.js';
import { SpokenCalls } from './spoken-calls.js';
import { SendVoiceCampaignHandler } from './voice.commands.js';
import { GetSpeechHandler, QuoteVoiceHandler } from './voice.queries.js';
import { VoiceController } from './voice.controller.js';
import { LiveCalls, VoiceCalls } from './voice-calls.store.js';
import { VoiceCallEntity } from './tables.js';

/** Voice in the API. Global: the providers module needs `CallScripts` and must not import this module. */
@Global()
@Module({
  imports: [
    CqrsModule,
    TypeOrmModule.forFeature([VoiceCallEntity]),
    AccountsModule,
    AudioModule,
    EngineModule,
    CreditsModule,
    GuardModule,
    IdempotencyModule,
    RoutesModule,
    SenderIdsModule,
  ],
  providers: [
    SendVoiceCampaignHandler,
    GetSpeechHandler,
    QuoteVoiceHandler,
    CampaignAudio,
    SpokenCalls,
    LiveCalls,
    VoiceCalls,
    ScriptedCalls,
    { provide: CallScripts, useExisting: ScriptedCalls },
  ],
  controllers: [VoiceController],
  exports: [CallScripts, SpokenCalls, VoiceCalls],
})
export class VoiceModule {}
