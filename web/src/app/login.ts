import type { startAuthentication } from '@simplewebauthn/browser';
import { type Problem, problemOf, readProblem } from '../api/problem.js';
import { BASE } from './base.js';
import { beginSession, type Ending } from './session-store.js';
import { chooseTheme, chosenTheme, type Theme } from './theme-store.js';

type Options = Parameters<typeof startAuthentication>[0]['optionsJSON'];
type Attributes = Readonly<Record<string, string>>;

const WAITS_MS = 120_000;
const THEMES: readonly (readonly [Theme, string])[] = [
  ['system', 'System'],
  ['light', 'Light'],
  ['dark', 'Dark'],
];

/** An element with attributes; `text` is its text. */
function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  { text, ...attributes }: Attributes,
  ...children: Node[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}

/**
 * The login, without any library: it shows before the application is there (60 KB at most). Its address says where to go on
 * afterwards.
 * @param ending why the last session ended
 * @returns what takes it away again
 */
export function showLogin(element: HTMLElement, ending: Ending): () => void {
  document.title = 'Log in · Switchboard';
  const outcome = new URLSearchParams(location.search).get('oidc');
  const provider = make('div', { class: 'provider' });
  rememberAddress(ending === 'left');
  const heading = make('h1', { id: 'login-title', tabindex: '-1', text: 'Log in' });
  const alert = make('p', { role: 'alert' });
  const name = new LoginField('name', 'Username or e-mail', { autocomplete: 'username', ...PLAIN });
  const password = new LoginField('password', 'Password', { autocomplete: 'current-password', type: 'password' });
  const otp = new LoginField('otp', 'Code from your app, or a recovery code', {
    autocomplete: 'one-time-code',
    ...PLAIN,
  });
  const submit = make('button', { type: 'submit', class: 'button primary', text: 'Log in' });
  const usePasskey = make('button', { type: 'button', class: 'button quiet', text: 'Use a passkey' });
  const form = make(
    'form',
    { class: 'card login', novalidate: '', 'aria-labelledby': 'login-title' },
    make('p', { class: 'brand' }, mark(), new Text(' Switchboard')),
    heading,
    alert,
    name.element,
    password.element,
    submit,
    make('p', {}, make('a', { href: `${BASE}/app/forgot-password`, text: 'Forgot your password?' })),
    make('p', {}, make('a', { href: `${BASE}/app/register`, text: 'Create an account' })),
    provider,
    themeSwitch(),
  );
  void offerProvider(provider, outcome);
  let passkey: Options | null = null;
  let isBusy = false;

  const say = (fault: string | null): void => {
    alert.textContent = fault;
    alert.className = fault === null ? '' : 'fault';
  };
  const askSecond = (options: Options | null): void => {
    passkey = options;
    password.element.after(otp.element);
    if (options === null) usePasskey.remove();
    else submit.after(usePasskey);
    otp.input.focus();
  };
  const send = async (more: Record<string, unknown>): Promise<void> => {
    if (isBusy) return;
    say(null);
    const isFilled = [name.check('Enter your username or e-mail'), password.check('Enter your password')];
    if (isFilled.includes(false)) {
      (isFilled[0] === false ? name : password).input.focus();
      return;
    }
    isBusy = true;
    submit.setAttribute('aria-busy', 'true');
    try {
      beginSession(await logIn({ email_or_username: name.input.value, password: password.input.value, ...more }));
    } catch (error) {
      const problem = problemOf(error);
      if (problem.code === 'second_factor_required') {
        askSecond((problem.body['passkey'] as Options | undefined) ?? null);
      } else {
        say(problem.message);
        // a challenge is good once: the next request without a code asks for another
        if ('passkey' in more) askSecond(null);
        (otp.element.isConnected ? otp : password).input.select();
      }
    } finally {
      isBusy = false;
      submit.removeAttribute('aria-busy');
    }
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(otp.element.isConnected && otp.input.value !== '' ? { otp: otp.input.value } : {});
  });
  usePasskey.addEventListener('click', () => {
    void (async () => {
      if (passkey === null) return;
      const { startAuthentication: start } = await import('@simplewebauthn/browser');
      const shown = await start({ optionsJSON: passkey }).catch(() => null);
      if (shown === null) say('The browser showed no passkey.');
      else await send({ passkey: shown });
    })();
  });

  element.replaceChildren(make('main', { class: 'lonely' }, form));
  if (ending === 'ended') say('Your session has ended. Please log in again.');
  (ending === null ? name.input : heading).focus();
  return () => element.replaceChildren();
}

const PLAIN = { autocapitalize: 'none', spellcheck: 'false' } as const;

/** A field with its label, and its fault, which is read out with it. */
class LoginField {
  readonly input: HTMLInputElement;
  readonly element: HTMLElement;
  private readonly fault: HTMLElement;

  constructor(name: string, label: string, attributes: Attributes) {
    const id = `login-${name}`;
    this.input = make('input', { type: 'text', ...attributes, id, name });
    this.fault = make('div', { id: `${id}-fault`, class: 'fault' });
    this.element = make('div', { class: 'field' }, make('label', { for: id, text: label }), this.input);
    this.input.addEventListener('input', () => this.show(null));
  }

  /** @returns whether it is filled; where it is not, the fault is shown */
  check(fault: string): boolean {
    this.show(this.input.value === '' ? fault : null);
    return this.input.value !== '';
  }

  private show(fault: string | null): void {
    this.element.classList.toggle('faulty', fault !== null);
    this.fault.textContent = fault;
    if (fault === null) {
      this.fault.remove();
      this.input.removeAttribute('aria-invalid');
      this.input.removeAttribute('aria-describedby');
    } else {
      this.element.append(this.fault);
      this.input.setAttribute('aria-invalid', 'true');
      this.input.setAttribute('aria-describedby', this.fault.id);
    }
  }
}

/** @returns the token. @throws Problem */
const logIn = async (body: Record<string, unknown>): Promise<string> =>
  (await ask<{ token: string }>('/v6/api/v1/auth/login', body)).token;

/** Asks the API; with a body by POST. @throws Problem */
async function ask<Answer>(path: string, body?: Record<string, unknown>): Promise<Answer> {
  const response = await fetch(BASE + path, {
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
    signal: AbortSignal.timeout(WAITS_MS),
  }).catch((): Problem => readProblem(0, { message: 'The API does not answer.' }));
  if (response instanceof Error) throw response;
  const answer: unknown = await response.json().catch(() => null);
  if (!response.ok) throw readProblem(response.status, answer);
  return answer as Answer;
}

const PROVIDER_FAULTS: Readonly<Record<string, string>> = {
  oidc_no_role: 'The identity provider gives you no role here.',
  account_inactive: 'Your account is closed here.',
  username_taken: 'Your username is taken here: ask an administrator.',
  email_taken: 'Your e-mail is taken here: ask an administrator.',
};

/** Offers staff the login by the identity provider of the operator, where there is one. @param outcome of one that was begun */
async function offerProvider(part: HTMLElement, outcome: string | null): Promise<void> {
  const { data } = await ask<{ data: { is_available: boolean } }>('/v6/api/auth/oidc').catch(() => ({ data: null }));
  if (data?.is_available !== true) return;
  const alert = make('p', { role: 'alert' });
  const say = (fault: string): void => {
    alert.textContent = fault;
    alert.className = 'fault';
  };
  const start = make('button', { type: 'button', class: 'button quiet', text: 'Log in as staff' });
  start.addEventListener('click', () => location.assign(`${BASE}/v6/api/auth/oidc/start`));
  part.append(alert, start);
  if (outcome === null) return;
  if (outcome !== 'done') say(PROVIDER_FAULTS[outcome] ?? 'The identity provider did not log you in.');
  else
    await ask<{ token: string }>('/v6/api/auth/oidc/token', {}).then(
      ({ token }) => beginSession(token),
      (error: unknown) => say(problemOf(error).message),
    );
}

const mark = (): HTMLElement =>
  make('img', { src: new URL('../icon.svg', import.meta.url).href, alt: '', width: '26', height: '26' });

function themeSwitch(): HTMLElement {
  const choices = THEMES.map(([theme, text]) => {
    const input = make('input', { type: 'radio', name: 'theme', value: theme });
    input.checked = chosenTheme() === theme;
    input.addEventListener('change', () => chooseTheme(theme));
    return make('label', {}, input, new Text(text));
  });
  return make(
    'fieldset',
    { class: 'theme-switch worded' },
    make('legend', { class: 'unseen', text: 'Theme' }),
    ...choices,
  );
}

/** A session that ended comes back to where it was; who left begins anew. */
function rememberAddress(isDone: boolean): void {
  const { pathname, search, hash } = location;
  const login = `${BASE}/app/login`;
  if (pathname === login && !isDone) return;
  const here = pathname.slice(`${BASE}/app`.length) + search + hash;
  const then = isDone || here === '' || here === '/' ? '' : `?then=${encodeURIComponent(here)}`;
  history.replaceState(null, '', login + then);
}
