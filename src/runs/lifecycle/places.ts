import type { WorkspaceId } from '../../kernel/index.ts';

/** A run whose worker was lost so often may be what takes workers down. */
export const SUSPECT_LOSSES = 2;

export interface PlaceRequest {
  readonly workspaceId: WorkspaceId;
  /** The workspace has no other run under way. */
  readonly isFirst: boolean;
  /** The run may be what took its workers down. */
  readonly isSuspect: boolean;
}

/** A worker of this daemon that has a job and asks for a run to work on. */
export interface Place {
  /** False: the run waits. Asking again changes nothing, so a transaction may repeat it. */
  take(request: PlaceRequest): boolean;
  /** The work is over. Answers the workspaces that were refused since, whose runs may find a place now. */
  leave(): readonly WorkspaceId[];
}

/** The workers of one daemon. */
export interface Places {
  enter(): Place;
}

/**
 * Shares the workers of a daemon: the last free one stays for a workspace that has no run under way, however large the limit
 * of a workspace is; a daemon with one worker has none to spare. Of runs that may take workers down it works on one at a
 * time, so that they do not drag each other along.
 */
export function createPlaces(workers: number): Places {
  const taken = new Set<Place>();
  const suspects = new Set<Place>();
  const refused = new Set<WorkspaceId>();
  const mostOfOthers = Math.max(1, workers - 1);
  const mayTake = ({ isFirst, isSuspect }: PlaceRequest) =>
    (isFirst || taken.size < mostOfOthers) && !(isSuspect && suspects.size > 0);
  return {
    enter() {
      const place: Place = {
        take(request) {
          if (taken.has(place)) return true;
          if (!mayTake(request)) {
            refused.add(request.workspaceId);
            return false;
          }
          taken.add(place);
          if (request.isSuspect) suspects.add(place);
          return true;
        },
        leave() {
          // one that was refused itself has freed nothing
          if (!taken.delete(place)) return [];
          suspects.delete(place);
          const waiting = [...refused];
          refused.clear();
          return waiting;
        },
      };
      return place;
    },
  };
}
