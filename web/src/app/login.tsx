import { startAuthentication } from '@simplewebauthn/browser';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import { $api, api } from '../api/client.js';
import { problemOf } from '../api/problem.js';
import { Button } from '../ui/button.js';
import { TextField } from '../ui/fields.js';
import { BASE } from './base.js';
import { beginSession, useSession } from './session.js';
import { ThemeSwitch } from './theme-switch.js';

interface Credentials {
  name: string;
  password: string;
  otp: string;
}

type Options = Parameters<typeof startAuthentication>[0]['optionsJSON'];

/** What the API asks for beside the password; `passkey`: the options of the browser. */
interface Question {
  passkey: Options | null;
}

/** The login. Its address says where to go on afterwards. */
export function LoginPage() {
  const { ending } = useSession();
  const [fault, setFault] = useState<string | null>(
    ending === 'ended' ? 'Your session has ended. Please log in again.' : null,
  );
  const heading = useRef<HTMLHeadingElement>(null);
  const { register, handleSubmit, setFocus, formState } = useForm<Credentials>();
  useEffect(() => {
    document.title = 'Log in · Switchboard';
    rememberAddress(ending === 'left');
    if (ending !== null) heading.current?.focus();
    else setFocus('name');
  }, [ending, setFocus]);

  const [question, setQuestion] = useState<Question | null>(null);
  useEffect(() => {
    if (question !== null) setFocus('otp');
  }, [question, setFocus]);

  const send = async ({ name, password }: Credentials, more: { otp?: string; passkey?: Record<string, unknown> }) => {
    setFault(null);
    try {
      const body = { email_or_username: name, password, ...more };
      const { data } = await api.POST('/v6/api/v1/auth/login', { body });
      if (data !== undefined) beginSession(data.token);
    } catch (error) {
      const problem = problemOf(error);
      if (problem.code === 'second_factor_required') {
        setQuestion({ passkey: (problem.body['passkey'] as Options | undefined) ?? null });
        return;
      }
      setFault(problem.message);
      // a challenge is good once: the next try without a code asks for another
      if (more.passkey !== undefined) setQuestion({ passkey: null });
      setFocus(question === null ? 'password' : 'otp', { shouldSelect: true });
    }
  };
  const logIn = handleSubmit((values) =>
    send(values, question !== null && values.otp !== '' ? { otp: values.otp } : {}),
  );
  const showPasskey = handleSubmit(async (values) => {
    if (question?.passkey == null) return;
    const passkey = await startAuthentication({ optionsJSON: question.passkey }).catch(() => null);
    if (passkey === null) setFault('The browser showed no passkey.');
    else await send(values, { passkey: passkey as unknown as Record<string, unknown> });
  });
  return (
    <main className="lonely">
      <form className="card login" onSubmit={(event) => void logIn(event)} noValidate aria-labelledby="login-title">
        <p className="brand">
          <Mark /> Switchboard
        </p>
        <h1 id="login-title" tabIndex={-1} ref={heading}>
          Log in
        </h1>
        <p role="alert" className={fault === null ? '' : 'fault'}>
          {fault}
        </p>
        <TextField
          label="Username or e-mail"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          error={formState.errors.name && 'Your username or e-mail'}
          {...register('name', { required: true })}
        />
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          error={formState.errors.password && 'Your password'}
          {...register('password', { required: true })}
        />
        {question !== null && (
          <TextField
            label="Code of your app, or a recovery code"
            autoComplete="one-time-code"
            autoCapitalize="none"
            spellCheck={false}
            {...register('otp')}
          />
        )}
        <Button kind="primary" type="submit" busy={formState.isSubmitting}>
          Log in
        </Button>
        {question?.passkey != null && <Button onClick={() => void showPasskey()}>Use a passkey</Button>}
        <p>
          <a href={`${BASE}/app/forgot-password`}>Forgot your password?</a>
        </p>
        <ProviderLogin />
        <ThemeSwitch />
      </form>
    </main>
  );
}

const PROVIDER_FAULTS: Readonly<Record<string, string>> = {
  oidc_no_role: 'The identity provider gives you no role here.',
  account_inactive: 'Your account is closed here.',
  username_taken: 'Your username is taken here: ask an administrator.',
  email_taken: 'Your e-mail is taken here: ask an administrator.',
};

/** Login of staff by the identity provider of the operator, where there is one. */
function ProviderLogin() {
  const query = $api.useQuery('get', '/v6/api/auth/oidc', {});
  const [outcome] = useState(() => new URLSearchParams(location.search).get('oidc'));
  const [fault, setFault] = useState<string | null>(
    outcome === null || outcome === 'done'
      ? null
      : (PROVIDER_FAULTS[outcome] ?? 'The identity provider did not log you in.'),
  );
  useEffect(() => {
    if (outcome !== 'done') return;
    api.POST('/v6/api/auth/oidc/token', {}).then(
      ({ data }) => {
        if (data !== undefined) beginSession(data.token);
      },
      (error: unknown) => setFault(problemOf(error).message),
    );
  }, [outcome]);
  if (query.data?.data.is_available !== true) return null;
  return (
    <>
      <p role="alert" className={fault === null ? '' : 'fault'}>
        {fault}
      </p>
      <Button onClick={() => location.assign(`${BASE}/v6/api/auth/oidc/start`)}>Log in as staff</Button>
    </>
  );
}

/** A page outside of a session: one card. */
export function Lonely({ title, children }: { title: string; children: ReactNode }) {
  return (
    <main className="lonely">
      <section className="card login" aria-labelledby="lonely-title">
        <p className="brand">
          <Mark /> Switchboard
        </p>
        <h1 id="lonely-title">{title}</h1>
        {children}
        <ThemeSwitch />
      </section>
    </main>
  );
}

export function Mark() {
  return <img src={new URL('../icon.svg', import.meta.url).href} alt="" width={26} height={26} />;
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
