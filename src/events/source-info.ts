/**
 * What the server sets as `source_info` of a batch that brings none (rulings §2): its caller puts it into the batch's text.
 * not shown: the channel of what a pipeline reads; it reaches us from a server, as what is posted with a secret does.
 */
export const SOURCE_INFO = '{"channel":"server_to_server"}';
