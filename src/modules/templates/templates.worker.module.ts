import { Module } from '@nestjs/common';
import { RoutesModule } from '../providers/index.js';
import { OutboundModule } from '../../platform/outbound/index.js';
import { HeaderSample } from './submission/header-sample.js';
import { SubmissionSweeper } from './submission/submission-sweeper.js';
import { TemplateFiller } from './submission/template-filler.js';
import { TemplateSubmitter } from './submission/template-submitter.js';
import { UpstreamReviews } from './submission/upstream-reviews.js';
import { TemplateLibraryModule } from './template-library.module.js';

/** Templates in the worker: handing them to the upstream. */
@Module({
  imports: [TemplateLibraryModule, RoutesModule, OutboundModule],
  providers: [HeaderSample, TemplateFiller, TemplateSubmitter, UpstreamReviews, SubmissionSweeper],
})
export class TemplatesWorkerModule {}
