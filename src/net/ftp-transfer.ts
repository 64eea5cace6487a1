/**
 * One transfer of FTP: bytes of the data connection, and replies of the control connection, which end in any order. It is
 * complete only if both have ended well: a data connection that breaks off looks like the end of a file.
 */
import type { Socket } from 'node:net';
import { type FTPContext, FTPError, type FTPResponse, type TaskResolver } from 'basic-ftp';
import { BodyBuffer } from '../core/http/body-buffer.js';
import { type HttpFailure, type Truncation, failure } from './http-answer.js';

/** A failure of a session that is no reply of the server. */
export class FtpFailure extends Error {
  override readonly name = 'FtpFailure';

  constructor(readonly failure: HttpFailure) {
    super(failure.message);
  }
}

export interface Transferred {
  readonly body: Buffer;
  readonly truncated: false | Truncation;
}

export class FtpTransfer {
  readonly #body: BodyBuffer;
  #isReading = false;
  #dataEnded = false;
  #replied = false;
  #task: TaskResolver | undefined;

  /** @param idleTimeout longest wait between two parts, and for the last reply, ms */
  constructor(
    private readonly ftp: FTPContext,
    private readonly data: Socket,
    limit: number,
    private readonly idleTimeout: number,
  ) {
    this.#body = new BodyBuffer(limit);
  }

  /** Sends the command, and receives what follows. @throws FTPError if the server refuses it */
  run(command: string): Promise<Transferred> {
    return this.ftp.handle(command, (reply, task) => {
      this.#task = task;
      if (reply instanceof Error) task.reject(reply);
      else this.#reply(reply, task);
    }) as Promise<Transferred>;
  }

  /** Ends the transfer with what has arrived. @returns false if the server has not begun it */
  cut(reason: Truncation): boolean {
    if (!this.#isReading) return false;
    this.#end(reason);
    return true;
  }

  #reply(reply: FTPResponse, task: TaskResolver): void {
    if (reply.code >= 300) return task.reject(new FTPError(reply));
    if (reply.code >= 200) {
      this.#replied = true;
      // A server may say that it is done before we have read anything, also without having announced it.
      this.#read();
      return this.#endIfComplete();
    }
    // 125 or 150; others are information.
    if (reply.code === 125 || reply.code === 150) this.#read();
  }

  #read(): void {
    if (this.#isReading) return;
    this.#isReading = true;
    // While data arrives, the control connection is silent.
    this.ftp.socket.setTimeout(0);
    const { data } = this;
    const fail = (why: HttpFailure) => this.#task?.reject(new FtpFailure(why));
    data.setTimeout(this.idleTimeout, () => fail(failure('timeout', 'the transfer sent nothing for too long')));
    data.on('end', () => {
      this.#dataEnded = true;
      data.setTimeout(0);
      this.ftp.socket.setTimeout(this.idleTimeout);
      this.#endIfComplete();
    });
    data.on('close', () => {
      if (!this.#dataEnded) fail(failure('reset', 'the data connection was closed before its end'));
    });
    data.on('data', (chunk: Buffer) => {
      if (this.#body.push(chunk)) this.#end('length');
    });
    if (data.destroyed) fail(failure('reset', 'the data connection was closed before its end'));
  }

  #endIfComplete(): void {
    if (this.#dataEnded && this.#replied) this.#end(false);
  }

  #end(truncated: false | Truncation): void {
    this.#task?.resolve({ body: this.#body.toBuffer(), truncated });
  }
}
