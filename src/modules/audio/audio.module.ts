import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccountsModule } from '../accounts/index.js';
import { AudioLibrary } from './audio-library.js';
import { AudioSweeper } from './audio-sweeper.js';
import { AudioController } from './http/audio.controller.js';
import { audioEntities } from './persistence/audio.entities.js';
import { AudioStore } from './persistence/audio-store.js';
import { OpenAudioHandler } from './queries/open-audio.query.js';
import { Speaker } from './speech/speaker.js';
import { SpeechPool } from './speech/speech-pool.js';
import { SuppliedAudio } from './supplied/supplied-audio.js';
import { Transcoder } from './supplied/transcoder.js';

/** Audio in the API: speech, supplied files, and the open route from which carriers and browsers fetch them. */
@Module({
  imports: [CqrsModule, TypeOrmModule.forFeature(audioEntities), AccountsModule],
  providers: [AudioStore, SpeechPool, Speaker, Transcoder, SuppliedAudio, AudioLibrary, OpenAudioHandler],
  controllers: [AudioController],
  exports: [AudioLibrary],
})
export class AudioModule {}

/** In the worker: audio that nothing plays goes. */
@Module({
  imports: [TypeOrmModule.forFeature(audioEntities)],
  providers: [AudioStore, AudioSweeper],
})
export class AudioWorkerModule {}
