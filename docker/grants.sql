-- tests make databases of their own
GRANT ALL PRIVILEGES ON `switchboard%`.* TO 'switchboard'@'%';
