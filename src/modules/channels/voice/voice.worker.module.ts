import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AudioWorkerModule } from '../../audio/index.js';
import { AttemptLogs, ChannelRegistry, EngineModule } from '../../engine/index.js';
import { CallAttemptLog } from './persistence/call-attempt-log.js';
import { VoiceCallEntity } from './persistence/voice-call.entity.js';
import { voiceChannel } from './voice.channel.js';

/** Voice in the worker: what a call plays, and the record of calls made. */
@Module({
  imports: [TypeOrmModule.forFeature([VoiceCallEntity]), EngineModule, AudioWorkerModule],
  providers: [CallAttemptLog],
})
export class VoiceWorkerModule {
  constructor(channels: ChannelRegistry, journals: AttemptLogs, journal: CallAttemptLog) {
    channels.register(voiceChannel);
    journals.register(voiceChannel.name, journal);
  }
}
