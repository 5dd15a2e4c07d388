import { Global, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { TemplateStatusSink } from '../providers/index.js';
import { ChangeTemplateHandler } from './commands/change-template.command.js';
import { CreateTemplateHandler } from './commands/create-template.command.js';
import { MoveTemplateHandler } from './commands/move-template.command.js';
import { RemoveTemplateHandler } from './commands/remove-template.command.js';
import { OwnTemplatesController } from './http/own-templates.controller.js';
import { TemplatesController } from './http/templates.controller.js';
import { ListAccountTemplatesHandler } from './queries/list-account-templates.query.js';
import { OwnTemplatesHandler } from './queries/own-templates.query.js';
import { ReviewTemplatesHandler } from './queries/review-templates.query.js';
import { TemplateStatusReceiver } from './submission/template-status.receiver.js';
import { UpstreamReviews } from './submission/upstream-reviews.js';
import { TemplateSearch } from './persistence/template-search.js';
import { TemplateLibraryModule } from './template-library.module.js';

/**
 * Templates in the API. Global, because the providers module hands the upstream's reviews to `TemplateStatusSink` and
 * must not import the templates.
 */
@Global()
@Module({
  imports: [CqrsModule, AccountsModule, TemplateLibraryModule],
  controllers: [TemplatesController, OwnTemplatesController],
  providers: [
    CreateTemplateHandler,
    ChangeTemplateHandler,
    RemoveTemplateHandler,
    MoveTemplateHandler,
    ListAccountTemplatesHandler,
    OwnTemplatesHandler,
    ReviewTemplatesHandler,
    TemplateSearch,
    UpstreamReviews,
    TemplateStatusReceiver,
    { provide: TemplateStatusSink, useExisting: TemplateStatusReceiver },
  ],
  exports: [TemplateLibraryModule, TemplateSearch, TemplateStatusSink],
})
export class TemplatesModule {}
