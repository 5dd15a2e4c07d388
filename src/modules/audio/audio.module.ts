import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import { AudioLibrary } from './audio-library.js';
import { AudioSweeper, AudioStore } from './audio.store.js';
import { AudioController } from './audio.controller.js';
import { audioEntities } from './tables.js';
import { OpenAudioHandler } from './audio.queries.js';
import { Speaker, SpeechPool } from './speech/speech.js';
import { SuppliedAudio, Transcoder } from './supplied-audio.js';

/** Audio in the API: speech, fetched files, and the open route for carriers and browsers. */
@Module({
  imports: [CqrsModule, TypeOrmModule.forFeature(audioEntities), AccountsModule],
  providers: [AudioStore, SpeechPool, Speaker, Transcoder, SuppliedAudio, AudioLibrary, OpenAudioHandler],
  controllers: [AudioController],
  exports: [AudioLibrary],
})
export class AudioModule {}

/** In the worker: removes unused audio. */
@Module({
  imports: [TypeOrmModule.forFeature(audioEntities)],
  providers: [AudioStore, AudioSweeper],
})
export class AudioWorkerModule {}
