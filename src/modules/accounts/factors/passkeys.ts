import { isIP } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import {
  type AuthenticationResponseJSON,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
import { isObject, type JsonObject, readJsonObject } from '../../../kernel/json-values.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { accountErrors } from '../domain/account.errors.js';
import { type Account, loginOf } from '../domain/account.js';
import { type ChallengePurpose, Challenges } from './challenges.store.js';
import { FactorStore, type NewPasskey } from './factors.store.js';
import type { LoginFactorEntity } from './tables.js';

const NAME = 'Switchboard';
const LOCAL = 'localhost';

/** The site that passkeys belong to. */
interface Site {
  /** a domain name, never an address */
  rpId: string;
  origin: string;
}

/** Asks browsers for passkeys (WebAuthn) and verifies what they answer. */
@Injectable()
export class Passkeys {
  constructor(
    private readonly challenges: Challenges,
    private readonly factors: FactorStore,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'PUBLIC_URL' | 'NODE_ENV'>,
  ) {}

  /** The site of `PUBLIC_URL`; in development also that of a page on localhost. Null where passkeys cannot be. */
  private siteOf(origin: string | undefined): Site | null {
    const { PUBLIC_URL, NODE_ENV } = this.environment;
    const page = urlOf(origin);
    if (NODE_ENV !== 'production' && page?.hostname === LOCAL) return { rpId: LOCAL, origin: page.origin };
    const site = urlOf(PUBLIC_URL);
    if (!site || isIP(site.hostname.replace(/^\[|\]$/g, '')) !== 0) return null;
    return { rpId: site.hostname, origin: site.origin };
  }

  /** Options for a new passkey. @throws AppError conflict without a domain name */
  async registrationOptions(account: Account, sessionId: number, origin: string | undefined): Promise<JsonObject> {
    const site = this.siteOf(origin);
    if (!site) throw accountErrors.passkeysUnavailable();
    const holderId = loginOf(account).id;
    const challenge = await this.challenges.make({ holderId, purpose: 'enrol', sessionId });
    const { username } = loginOf(account);
    const known = await this.passkeysOf(holderId);
    const options = await generateRegistrationOptions({
      ...{ rpName: NAME, rpID: site.rpId, userName: username, userDisplayName: username },
      ...{ userID: new TextEncoder().encode(`login ${holderId}`), challenge: bytesOf(challenge) },
      excludeCredentials: known.map(credentialOf),
      authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
    });
    return options as unknown as JsonObject;
  }

  /** Verifies a new passkey. Null for an answer that is not good. */
  async registered(
    account: Account,
    sessionId: number,
    answer: unknown,
    origin: string | undefined,
  ): Promise<Omit<NewPasskey, 'name'> | null> {
    const site = this.siteOf(origin);
    const challenge = await this.taken(answer, { holderId: loginOf(account).id, purpose: 'enrol', sessionId });
    if (!site || challenge === null) return null;
    try {
      const { verified, registrationInfo } = await verifyRegistrationResponse({
        response: answer as RegistrationResponseJSON,
        ...{ expectedChallenge: challenge, expectedOrigin: site.origin, expectedRPID: site.rpId },
        requireUserVerification: false,
      });
      if (!verified) return null;
      const { id, publicKey, counter, transports = [] } = registrationInfo.credential;
      return { credentialId: id, publicKey, counter, transports };
    } catch {
      return null; // the library throws for whatever does not fit
    }
  }

  /** Options to show a passkey of this login; null where there is none, or none can be. */
  async options(of: ChallengePurpose, origin: string | undefined): Promise<JsonObject | null> {
    const site = this.siteOf(origin);
    const known = site ? await this.passkeysOf(of.holderId) : [];
    if (!site || known.length === 0) return null;
    const challenge = await this.challenges.make(of);
    const options = await generateAuthenticationOptions({
      ...{ rpID: site.rpId, challenge: bytesOf(challenge), userVerification: 'preferred' },
      allowCredentials: known.map(credentialOf),
    });
    return options as unknown as JsonObject;
  }

  /** Verifies a passkey that was shown, and takes its challenge and counter: nothing is good twice. */
  async isShown(of: ChallengePurpose, answer: unknown, origin: string | undefined): Promise<boolean> {
    const site = this.siteOf(origin);
    const challenge = await this.taken(answer, of);
    const id = isObject(answer) ? answer['id'] : null;
    if (!site || challenge === null || typeof id !== 'string') return false;
    const row = await this.factors.passkey(of.holderId, id);
    if (!row?.publicKey) return false;
    const credential = { ...credentialOf(row), publicKey: new Uint8Array(row.publicKey), counter: row.counter };
    try {
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: answer as AuthenticationResponseJSON,
        ...{ expectedChallenge: challenge, expectedOrigin: site.origin, expectedRPID: site.rpId, credential },
        requireUserVerification: false,
      });
      return verified && (await this.factors.takeCounter(row.id, authenticationInfo.newCounter));
    } catch {
      return false;
    }
  }

  /** The challenge that a browser signed, used up; null for one that is not good here. */
  private async taken(answer: unknown, of: ChallengePurpose): Promise<string | null> {
    const response = isObject(answer) ? answer['response'] : null;
    const data = isObject(response) ? response['clientDataJSON'] : null;
    if (typeof data !== 'string') return null;
    const challenge = readJsonObject(Buffer.from(data, 'base64url').toString())?.['challenge'];
    return typeof challenge === 'string' && (await this.challenges.take(challenge, of)) ? challenge : null;
  }

  private async passkeysOf(holderId: number): Promise<LoginFactorEntity[]> {
    return (await this.factors.of(holderId)).filter(({ kind }) => kind === 'passkey');
  }
}

const bytesOf = (challenge: string) => new Uint8Array(Buffer.from(challenge, 'base64url'));

const credentialOf = ({ credentialId, transports }: LoginFactorEntity) => ({
  id: credentialId ?? '',
  transports: transports ? transports.split(',') : [],
});

function urlOf(text: string | undefined): URL | null {
  return text !== undefined && URL.canParse(text) ? new URL(text) : null;
}
