import { useRouter } from '@tanstack/react-router';

/** Whether the application has a page at a path for who works here. */
export function useHasPage(): (path: string) => boolean {
  const router = useRouter();
  return (path) => path in router.routesByPath;
}
