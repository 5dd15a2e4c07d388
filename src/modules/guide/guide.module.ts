import { Module } from '@nestjs/common';
import { GuidePages } from './guide-pages.js';
import { GuideController } from './http/guide.controller.js';

/** The documents of this version at `/docs/guide`. */
@Module({ controllers: [GuideController], providers: [GuidePages] })
export class GuideModule {}
