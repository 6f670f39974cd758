// Warehouse sync version 1: a second view of the resources of version 2, with its own shapes, status codes and warehouses. A
// body becomes a body of version 2 and goes through the same verbs. Values that version 1 cannot express stay as stored.
// Terminology: a pipeline *follows* its model when its iterator and delay are those of the model's load timestamp.
export { versionOneEndpoints } from './version-one-endpoints.ts';
