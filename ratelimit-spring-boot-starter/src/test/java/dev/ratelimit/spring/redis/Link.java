package dev.ratelimit.spring.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** A connection to a server that can become slow, silent, or be cut. */
final class Link implements AutoCloseable {

    private final ServerSocket listening;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final Set<Socket> dead = ConcurrentHashMap.newKeySet();
    private volatile int target;
    private volatile boolean silent;
    private volatile long delayMillis;

    Link(int target) throws IOException {
        this.target = target;
        this.listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        thread(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** Lets each answer come later. */
    void delay(long millis) {
        delayMillis = millis;
    }

    /** Leads new connections to another server. */
    void leadTo(int port) {
        target = port;
    }

    /** From now on nothing passes the connections that there are, nor those that are made. */
    void fallSilent() {
        silent = true;
        dead.addAll(sockets);
    }

    /** New connections are as they should be; those that fell silent stay so. */
    void recover() {
        silent = false;
    }

    /** Resets all connections; new ones can be made. */
    void cut() {
        for (Socket socket : sockets) {
            try {
                socket.setSoLinger(true, 0);
                socket.close();
            } catch (IOException e) {
                // Closed already.
            }
        }
        sockets.clear();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listening.accept();
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.add(client);
                sockets.add(server);
                if (silent) {
                    dead.add(client);
                    dead.add(server);
                }
                thread(() -> copy(client, server, false));
                thread(() -> copy(server, client, true));
            }
        } catch (IOException e) {
            // Closed.
        }
    }

    private void copy(Socket from, Socket to, boolean delayed) {
        byte[] buffer = new byte[8192];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                if (delayed && delayMillis > 0) {
                    Thread.sleep(delayMillis);
                }
                if (!dead.contains(from)) {
                    out.write(buffer, 0, read);
                    out.flush();
                }
            }
            to.close();
        } catch (IOException | InterruptedException e) {
            // Cut.
        }
    }

    private static void thread(Runnable task) {
        Thread thread = new Thread(task, "link");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listening.close();
        cut();
    }
}
