// Groups: people who share the value of an attribute, and what each of them inherits from it (002, Group definition).
// This room knows the definition, who belongs together and the aggregates; it knows no batch, no pipeline and no warehouse.
export { type ForgottenMembers, forgetMembers } from './forget-members.ts';
