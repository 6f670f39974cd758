import { describe, expect, test } from 'vitest';
import { type BatchOrigin, keptText } from '../../../src/events/accept/kept-text.ts';
import type { EventBatch } from '../../../src/events/index.ts';
import { parseJson } from '../../../src/kernel/index.ts';

const SERVER: BatchOrigin = { channel: 'server_to_server', isHistorical: false };
const HISTORICAL: BatchOrigin = { channel: 'server_to_server', isHistorical: true };
const WEB: BatchOrigin = { channel: 'javascript', isHistorical: false };

const kept = (text: string, origin: BatchOrigin = SERVER) => keptText(parseJson(text) as EventBatch, text, origin);

describe('source_info', () => {
  test.each([
    ['{}', SERVER, '{"environment":"production","source_info":{"channel":"server_to_server"}}'],
    [' { } ', WEB, '{"environment":"production","source_info":{"channel":"javascript"}}'],
    [
      '{"environment":"development"}',
      HISTORICAL,
      '{"source_info":{"channel":"server_to_server","is_historical":true},"environment":"development"}',
    ],
    [
      '{"environment":"production","source_info":null}',
      WEB,
      '{"source_info":{"channel":"javascript"},"environment":"production"}',
    ],
  ])('is set where it is absent: %s', (text, origin, expected) => {
    expect(kept(text, origin)).toBe(expected);
  });

  test('stays as the sender gave it', () => {
    const text = '{"environment":"production","source_info":{"channel":"partner","partner":"x"}}';
    expect(kept(text, WEB)).toBe(text);
    expect(
      kept('{"environment":"production","source_info":{"channel":"native","is_historical":false}}', HISTORICAL),
    ).toBe('{"environment":"production","source_info":{"channel":"native","is_historical":false}}');
  });

  test('learns from the path that a batch is historical', () => {
    expect(kept('{"environment":"production","source_info":{"channel":"native"}}', HISTORICAL)).toBe(
      '{"source_info":{"channel":"native","is_historical":true},"environment":"production"}',
    );
  });
});

describe('the sender’s own text', () => {
  test('keeps every digit as it was written', () => {
    const text =
      '{"environment":"production","source_info":{"channel":"native"},"user_attributes":{"a":1.50,"b":1E2,"c":9223372036854775807}}';
    expect(kept(text)).toBe(text);
  });

  test('loses mpid and batch_id, which the log puts in front', () => {
    expect(
      kept(
        '{"mpid":"1","batch_id":18014398509481985,"environment":"production","source_info":{"channel":"native"},"ip":null}',
      ),
    ).toBe('{"environment":"production","source_info":{"channel":"native"},"ip":null}');
  });

  test('stands on one line', () => {
    expect(kept('{\n  "environment": "production",\n  "ip": null\n}\n')).toBe(
      '{"source_info":{"channel":"server_to_server"},"environment":"production","ip":null}',
    );
  });
});
