import { createSocket, type Socket } from "node:dgram";
import type { AddressInfo } from "node:net";

const typeA = 1;
const answered = 0x8180;
const refused = 0x8185;

/** A resolver that gives the IPv4 addresses that a journey sets, and refuses to answer for every other name. */
export class NameServer {
  private readonly socket: Socket = createSocket("udp4");
  private readonly known = new Map<string, string[]>();
  address = "";

  async serve(): Promise<void> {
    this.socket.on("message", (question, from) => this.socket.send(this.reply(question), from.port, from.address));
    await new Promise<void>((resolve) => this.socket.bind(0, "127.0.0.1", resolve));
    this.address = `127.0.0.1:${(this.socket.address() as AddressInfo).port}`;
  }

  /** From now on the name has these addresses. */
  set(name: string, ...addresses: string[]): void {
    this.known.set(name, addresses);
  }

  close(): void {
    this.socket.close();
  }

  private reply(question: Buffer): Buffer {
    const labels: string[] = [];
    let at = 12;
    while (question[at]! > 0) {
      labels.push(question.toString("ascii", at + 1, at + 1 + question[at]!));
      at += question[at]! + 1;
    }
    const end = at + 5;
    const known = this.known.get(labels.join(".").toLowerCase());
    const records = question.readUInt16BE(at + 1) === typeA ? (known ?? []).map(recordOf) : [];
    const head = Buffer.alloc(12);
    question.copy(head, 0, 0, 2);
    head.writeUInt16BE(known ? answered : refused, 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    return Buffer.concat([head, question.subarray(12, end), ...records]);
  }
}

/** A record of the name that was asked for, kept for a second. */
function recordOf(address: string): Buffer {
  const record = Buffer.alloc(12);
  record.writeUInt16BE(0xc00c, 0);
  record.writeUInt16BE(typeA, 2);
  record.writeUInt16BE(1, 4);
  record.writeUInt32BE(1, 6);
  record.writeUInt16BE(4, 10);
  return Buffer.concat([record, Buffer.from(address.split(".").map(Number))]);
}
