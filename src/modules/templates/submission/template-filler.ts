import { Injectable } from '@nestjs/common';
import type { TemplateSubmission } from '../../providers/index.js';
import { bodySamples, headerSample } from '../domain/placeholders.js';
import type { Template } from '../domain/template.js';
import { HeaderSample } from './header-sample.js';

/** Fills in what the upstream's reviewers are to see: the template with a sample for each of its variables. */
@Injectable()
export class TemplateFiller {
  constructor(private readonly samples: HeaderSample) {}

  /** @throws AppError when the owner's sample of a medium cannot be had, see `HeaderSample` */
  async fill(template: Template): Promise<TemplateSubmission> {
    return {
      name: template.name,
      category: template.category,
      language: template.language.code,
      header: await this.headerOf(template),
      body: template.body,
      bodyExamples: bodySamples(template.body, template.bodyExamples),
      footer: template.footer,
      quickReplies: template.quickReplies.map(({ text }) => text),
    };
  }

  private async headerOf(template: Template): Promise<TemplateSubmission['header']> {
    const { accountId, headerMediaType: medium, headerText: text, headerExampleUrl: url } = template;
    if (medium !== '') {
      return { medium, sample: url === null ? null : await this.samples.fetch(url, medium, accountId) };
    }
    return text === '' ? null : { text, example: headerSample(text) };
  }
}
