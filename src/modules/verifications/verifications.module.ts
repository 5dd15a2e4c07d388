import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { VoiceModule } from '../channels/voice/index.js';
import { CustomerEventsModule } from '../customer-events/index.js';
import { GuardModule } from '../guard/index.js';
import { MessagesModule } from '../messages/index.js';
import { FeedbackController } from './feedback.controller.js';
import { CheckProofHandler, StartProofHandler } from './proofs.commands.js';
import { ProofsController } from './proofs.controller.js';
import { VerificationTextsController } from './staff-verification-texts.controller.js';
import { ProofLimits, VerificationLimits } from './verification-limits.js';
import { VerificationSends } from './verification-sends.js';
import { VerificationChecks, VerificationStarts } from './verification-starts.js';
import { VerificationEvents, VerificationRounds, VerificationStepper } from './verification-stepper.js';
import { PutVerificationTextHandler, RemoveVerificationTextHandler } from './verification-texts.commands.js';
import { VerificationTexts } from './verification-texts.store.js';
import {
  CancelVerificationHandler,
  CheckVerificationHandler,
  GiveFeedbackHandler,
  NextChannelHandler,
  StartVerificationHandler,
} from './verifications.commands.js';
import { VerificationsController } from './verifications.controller.js';
import {
  ConversionHandler,
  FindProofHandler,
  FindVerificationHandler,
  ListVerificationsHandler,
  ListVerificationTextsHandler,
} from './verifications.queries.js';
import { VerificationStore } from './verifications.store.js';

/** Verification of telephone numbers by codes. */
@Module({
  imports: [CqrsModule, AccountsModule, CustomerEventsModule, GuardModule, MessagesModule, VoiceModule],
  controllers: [FeedbackController, ProofsController, VerificationsController, VerificationTextsController],
  providers: [
    VerificationStore,
    VerificationTexts,
    VerificationLimits,
    VerificationSends,
    VerificationStepper,
    VerificationRounds,
    VerificationEvents,
    VerificationStarts,
    VerificationChecks,
    ProofLimits,
    StartProofHandler,
    CheckProofHandler,
    FindProofHandler,
    GiveFeedbackHandler,
    StartVerificationHandler,
    CheckVerificationHandler,
    NextChannelHandler,
    CancelVerificationHandler,
    FindVerificationHandler,
    ListVerificationsHandler,
    ConversionHandler,
    ListVerificationTextsHandler,
    PutVerificationTextHandler,
    RemoveVerificationTextHandler,
  ],
})
export class VerificationsModule {}
