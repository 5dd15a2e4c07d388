import { Global, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { TypeOrmModule } from '@nestjs/typeorm';
import { OutboundModule } from '../../platform/outbound/index.js';
import { AccountDirectoryModule, AccountsModule } from '../accounts/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { RoutesModule, TemplateStatusSink } from '../providers/index.js';
import { SubmissionQueue } from './submissions.store.js';
import { TemplateControllerEntity, TemplateEntity, TemplateSubmissionEntity } from './tables.js';
import { HeaderSample, TemplateFiller } from './template-filler.js';
import { TemplateStatusReceiver, ProviderReviews } from './template-status.js';
import { SubmissionSweeper, TemplateSubmitter } from './template-submitter.js';
import {
  ChangeTemplateHandler,
  CreateTemplateHandler,
  MoveTemplateHandler,
  RemoveTemplateHandler,
} from './templates.commands.js';
import { OwnTemplatesController, TemplatesController } from './templates.controller.js';
import { ListAccountTemplatesHandler, OwnTemplatesHandler, ReviewTemplatesHandler } from './templates.queries.js';
import { TemplateLibrary, TemplateSearch, TemplateStore } from './templates.store.js';
import { TemplatesAdminController } from './staff-templates.controller.js';

const STORES = [TemplateLibrary, TemplateStore, SubmissionQueue];

@Module({
  imports: [
    AccountDirectoryModule,
    CustomerEventsModule,
    TypeOrmModule.forFeature([TemplateEntity, TemplateControllerEntity, TemplateSubmissionEntity]),
  ],
  providers: STORES,
  exports: [...STORES, TypeOrmModule],
})
export class TemplateLibraryModule {}

/** Templates in the API. Global: the providers module passes reviews to `TemplateStatusSink` and must not import templates. */
@Global()
@Module({
  imports: [CqrsModule, AccountsModule, TemplateLibraryModule],
  controllers: [TemplatesController, OwnTemplatesController, TemplatesAdminController],
  providers: [
    CreateTemplateHandler,
    ChangeTemplateHandler,
    RemoveTemplateHandler,
    MoveTemplateHandler,
    ListAccountTemplatesHandler,
    OwnTemplatesHandler,
    ReviewTemplatesHandler,
    TemplateSearch,
    ProviderReviews,
    TemplateStatusReceiver,
    { provide: TemplateStatusSink, useExisting: TemplateStatusReceiver },
  ],
  exports: [TemplateLibraryModule, TemplateSearch, TemplateStatusSink],
})
export class TemplatesModule {}

/** Templates in the worker: submits them to the provider. */
@Module({
  imports: [TemplateLibraryModule, RoutesModule, OutboundModule],
  providers: [HeaderSample, TemplateFiller, TemplateSubmitter, ProviderReviews, SubmissionSweeper],
})
export class TemplatesWorkerModule {}
