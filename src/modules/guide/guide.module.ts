import { Module } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../platform/config/index.js';
import { GuidePages, guideRoot } from './guide-pages.js';
import { GuideController } from './guide.controller.js';

@Module({
  controllers: [GuideController],
  providers: [
    {
      provide: GuidePages,
      inject: [ENVIRONMENT],
      useFactory: (environment: Environment) => new GuidePages(environment, guideRoot()),
    },
  ],
})
export class GuideModule {}
