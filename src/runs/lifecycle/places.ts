import type { WorkspaceId } from '../../kernel/index.ts';

/** Number of lost workers from which a run is suspected of crashing its workers. */
export const SUSPECT_LOSSES = 2;

export interface PlaceRequest {
  readonly workspaceId: WorkspaceId;
  /** The workspace has no other active run. */
  readonly isFirst: boolean;
  /** The run may have crashed its workers. */
  readonly isSuspect: boolean;
}

/** A worker of this daemon that has a job and asks for a run to work on. */
export interface Place {
  /**
   * Returns whether the run gets the place; otherwise it waits. Repeating the call changes nothing, so a transaction may be
   * repeated.
   */
  take(request: PlaceRequest): boolean;
  /** Frees the place. Returns the workspaces that were refused since, whose runs may find a place now. */
  leave(): readonly WorkspaceId[];
}

/** The workers of one daemon. */
export interface Places {
  enter(): Place;
}

/**
 * Creates the places, which share the workers of a daemon between workspaces.
 * The last free worker of each daemon is reserved for workspaces without an active run on any daemon, however large the limit
 * of a workspace is. The only worker of a daemon is such a last one. Among suspect runs, the daemon works on one at a time, so
 * that no other suspect is lost with it.
 */
export function createPlaces(workers: number): Places {
  const taken = new Set<Place>();
  const suspects = new Set<Place>();
  const refused = new Set<WorkspaceId>();
  const mostOfOthers = Math.max(0, workers - 1);
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
          // a request that was refused itself has freed nothing
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
