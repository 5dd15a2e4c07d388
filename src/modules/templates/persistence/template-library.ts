import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import type { Template } from '../domain/template.js';
import { templateOf } from './template-rows.js';
import { TemplateEntity } from './template.entities.js';

/** Templates for those who send them. */
@Injectable()
export class TemplateLibrary {
  constructor(@InjectRepository(TemplateEntity) private readonly templates: Repository<TemplateEntity>) {}

  /** The template of an account by its name, byte for byte, whatever its status; null when there is none. */
  async find(accountId: number, name: string): Promise<Template | null> {
    const row = await this.templates.findOneBy({ accountId, name });
    return row && templateOf(row);
  }

  async byId(id: number): Promise<Template | null> {
    const row = await this.templates.findOneBy({ id });
    return row && templateOf(row);
  }

  /** All templates of an account, ascending by id. */
  async ofAccount(accountId: number): Promise<Template[]> {
    return (await this.templates.find({ where: { accountId }, order: { id: 'ASC' } })).map(templateOf);
  }

  /** Whether a template of the account stands under this id at the upstream. */
  isUpstream(accountId: number, upstreamId: string): Promise<boolean> {
    return this.templates.existsBy({ accountId, upstreamId });
  }
}
