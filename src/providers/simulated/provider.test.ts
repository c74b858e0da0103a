import { describe, expect, it } from 'vitest';
import { findProfile, resolveSubsystem, resolveWorld } from '../../profiles/index.js';
import { SimulatedProvider } from './provider.js';

describe('the simulated provider', () => {
  it('lists a device for each host and opens each once', async () => {
    const provider = new SimulatedProvider({ subsystem: 'husky', hosts: 3 });
    const devices = await provider.listDevices();
    expect(devices.map(({ name }) => name)).toEqual(['h0/rnic0', 'h1/rnic0', 'h2/rnic0']);
    expect(devices[1].description).toContain('::ffff:10.0.0.2');
    expect(await provider.open('sim1')).toBe(await provider.open('sim1'));
    expect(await provider.open('sim1')).not.toBe(await provider.open('sim2'));
    expect(await provider.open('h1')).toBe(await provider.open('sim1'));
    expect(await provider.open('h1/rnic0')).toBe(await provider.open('sim1'));
  });

  it('refuses a device that it has not, and names those that it has', async () => {
    const provider = new SimulatedProvider({ subsystem: 'husky' });
    await expect(provider.open('mlx5_0')).rejects.toMatchObject({
      code: 'OUT_OF_RANGE',
      field: 'deviceName',
      given: 'mlx5_0',
      allowed: 'h0/rnic0, h1/rnic0',
    });
  });

  it('takes a profile by name or resolved, and Collie F where none is given', async () => {
    const resolved = resolveSubsystem(findProfile('subsystem', 'collie-h'));
    expect(new SimulatedProvider({ subsystem: resolved }).subsystem).toBe(resolved);
    expect(new SimulatedProvider().subsystem.name).toBe('collie-f');
    expect(() => new SimulatedProvider({ subsystem: 'collie-z' })).toThrow(
      expect.objectContaining({ code: expect.stringContaining('PROFILE') }),
    );
  });

  it('opens any world, and not a world and a subsystem at once', async () => {
    const provider = new SimulatedProvider({ world: 'two-servers' });
    expect((await provider.listDevices()).map(({ name }) => name)).toEqual([
      'h0/rnic0',
      'h0/rnic2',
      'h1/rnic0',
      'h1/rnic1',
    ]);
    expect(await provider.open('sim1')).toBe(await provider.open('h1/rnic0'));
    expect((await provider.open('h0')).queryPort(1)).toMatchObject({ lineRateBps: 200e9 });
    expect((await provider.open('h1')).queryPort(1)).toMatchObject({ lineRateBps: 100e9 });
    const graph = resolveWorld({ hosts: [{ subsystem: 'husky', count: 2 }] });
    expect(new SimulatedProvider({ world: graph }).world.graph).toBe(graph);
    expect(() => new SimulatedProvider({ world: 'two-servers', hosts: 3 })).toThrow(
      expect.objectContaining({ code: 'OUT_OF_RANGE', field: 'world' }),
    );
  });

  it('answers for the device by its profile', async () => {
    const provider = new SimulatedProvider({ subsystem: 'collie-f' });
    const context = await provider.open('sim0');
    const { constants } = provider.subsystem.device;
    expect(context.queryDevice()).toMatchObject({
      maxQp: constants.maxQps,
      maxMr: constants.maxMrs,
      maxQpRdAtom: constants.maxOutstandingReads,
    });
    expect(context.queryPort(1)).toMatchObject({ lineRateBps: constants.portGbps * 1e9 });
  });

  it('has no more functions than its devices, and no region larger than the memory of the host', async () => {
    const { virtualFunctions } = new SimulatedProvider().subsystem.device.constants;
    const functionGbps = new Array<number>(virtualFunctions + 1).fill(0);
    const context = await new SimulatedProvider({ functionGbps }).open('sim0');
    expect(() => new SimulatedProvider({ functionGbps: [...functionGbps, 0] })).toThrow(
      expect.objectContaining({ code: 'OUT_OF_RANGE', field: 'functionGbps', given: virtualFunctions + 2 }),
    );
    expect(context.queryDevice().maxMrBytes).toBe(2 ** 40);
    const small = new SimulatedProvider({ subsystem: 'perf' });
    const most = small.subsystem.host.constants.memoryGigabytes * 1e9;
    const pd = (await small.open('sim0')).allocPd();
    pd.regMr({ lengthBytes: most }, 0);
    expect(() => pd.regMr({ lengthBytes: most + 1 }, 0)).toThrow(
      expect.objectContaining({ code: 'OUT_OF_RANGE', field: 'lengthBytes' }),
    );
  });

  it('draws other keys with another seed, and the same with the same', async () => {
    const keys = async (seed: number) => {
      const context = await new SimulatedProvider({ subsystem: 'husky', seed }).open('sim0');
      const pd = context.allocPd();
      return Array.from({ length: 4 }, () => pd.regMr({ lengthBytes: 64 }, 0).lkey);
    };
    expect(await keys(5)).toEqual(await keys(5));
    expect(await keys(5)).not.toEqual(await keys(6));
  });
});
