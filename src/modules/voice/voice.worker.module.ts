import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AudioWorkerModule } from '../audio/index.js';
import { AttemptJournals, CampaignEngineModule, ChannelRegistry } from '../campaigns/index.js';
import { CallJournal } from './persistence/call-journal.js';
import { VoiceCallEntity } from './persistence/voice-call.entity.js';
import { voiceChannel } from './voice.channel.js';

/** Voice in the worker: what a call plays, and the record of calls made. */
@Module({
  imports: [TypeOrmModule.forFeature([VoiceCallEntity]), CampaignEngineModule, AudioWorkerModule],
  providers: [CallJournal],
})
export class VoiceWorkerModule {
  constructor(channels: ChannelRegistry, journals: AttemptJournals, journal: CallJournal) {
    channels.register(voiceChannel);
    journals.register(voiceChannel.name, journal);
  }
}
