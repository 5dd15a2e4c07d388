import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CustomerEventsModule } from '../customer-events/index.js';
import { SubmissionQueue } from './persistence/submission-queue.js';
import { TemplateLibrary } from './persistence/template-library.js';
import { TemplateStore } from './persistence/template-store.js';
import { TemplateControllerEntity, TemplateEntity, TemplateSubmissionEntity } from './persistence/template.entities.js';

const STORES = [TemplateLibrary, TemplateStore, SubmissionQueue];

/** Templates as every process may need them: reading and writing them, and the queue of submissions to the upstream. */
@Module({
  imports: [
    CustomerEventsModule,
    TypeOrmModule.forFeature([TemplateEntity, TemplateControllerEntity, TemplateSubmissionEntity]),
  ],
  providers: STORES,
  exports: [...STORES, TypeOrmModule],
})
export class TemplateLibraryModule {}
