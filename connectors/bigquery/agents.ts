// The agents of the SDK's requests. Its HTTP layers would read the proxies of the environment by themselves, and look names up
// past the operator's rules.
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Agents } from '../_shared/agents.ts';

/** The part of teeny-request that chooses the agent of a request. */
export interface AgentChoice {
  getAgent(url: string, options: object): unknown;
}

const current = new AsyncLocalStorage<Agents>();

/** Replaces the choice, once for each process: it has no option for an agent, and prefers the environment's proxy. */
export function guardAgents(choice: AgentChoice): void {
  const { getAgent } = choice;
  choice.getAgent = (url, options) => current.getStore()?.of(new URL(url)) ?? getAgent(url, options);
}

/** Runs work of the SDK, whose requests use these agents. */
export function onAgents<Result>(agents: Agents, work: () => Result): Result {
  return current.run(agents, work);
}

/** Returns the option of the authentication library that makes its requests use the agents. */
export function transportOf(agents: Agents): { readonly agent: (url: URL) => ReturnType<Agents['of']> } {
  return { agent: (url) => agents.of(url) };
}
