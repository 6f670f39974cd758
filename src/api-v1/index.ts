// Warehouse sync version 1: a second view of the resources of version 2, with its own shapes, status codes and warehouses. What a
// caller says becomes a body of version 2 and goes through the same verbs; what version 1 cannot say stays as it is stored.
// Terminology: a pipeline *follows* its model when its iterator and delay are those of the model's load timestamp.
export { versionOneEndpoints } from './version-one-endpoints.ts';
