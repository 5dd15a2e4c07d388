import { useEffect, useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import { api } from '../api/client.js';
import { problemOf } from '../api/problem.js';
import { Button } from '../ui/button.js';
import { TextField } from '../ui/fields.js';
import { BASE } from './base.js';
import { beginSession, useSession } from './session.js';
import { ThemeSwitch } from './theme-switch.js';

interface Credentials {
  name: string;
  password: string;
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

  const logIn = handleSubmit(async ({ name, password }) => {
    setFault(null);
    try {
      const { data } = await api.POST('/v6/api/v1/auth/login', { body: { email_or_username: name, password } });
      if (data !== undefined) beginSession(data.token);
    } catch (error) {
      setFault(problemOf(error).message);
      setFocus('password', { shouldSelect: true });
    }
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
        <Button kind="primary" type="submit" busy={formState.isSubmitting}>
          Log in
        </Button>
        <ThemeSwitch />
      </form>
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
